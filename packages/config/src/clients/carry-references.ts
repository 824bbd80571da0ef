import { basename, dirname } from 'node:path'
import { type SourceNode, toList, toMap } from '../read/source-tree.ts'
import { inputVariable } from '../values/expand-text.ts'
import type { ClientKind } from './client-files.ts'

/** Text with a client's references, as they are written here. */
type Rewrite = (text: string, folder: string) => string

/** References of a client's entry, as they are written here. What is none stays what it is. */
export function carryReferences(
  node: SourceNode,
  client: ClientKind | undefined,
  folder: string,
): SourceNode {
  const rewrite = (client && rewrites[client]) ?? fromEditor
  return visit(node, (text) => rewrite(text, folder))
}

/** Where the client's own project is: an editor's settings lie in a folder of it. */
export function projectFolder(folder: string): string {
  return /^\.(?:vscode|cursor|zed|gemini|codex)$/.test(basename(folder)) ? dirname(folder) : folder
}

const rewrites: Readonly<Partial<Record<ClientKind, Rewrite>>> = {
  // These put nothing in.
  'claude-desktop': escapeReferences,
  codex: keepVariables,
  zed: escapeReferences,
  'claude-code': (text) => text,
  gemini: (text) => text.replace(/\$([A-Za-z_]\w*)/g, (_, name: string) => `\${${name}}`),
  opencode: (text) =>
    escapeReferences(text).replace(/\{(env|file):([^}]+)\}/g, (_, kind: string, name: string) =>
      kind === 'env' ? `\${${name}}` : `\${file:${name}}`,
    ),
}

function escapeReferences(text: string): string {
  return text.replaceAll('${', () => '$${')
}

/** Those that were made of its own words for variables. */
function keepVariables(text: string): string {
  return /^(?:Bearer )?\$\{[A-Za-z_]\w*\}$/.test(text) ? text : escapeReferences(text)
}

/** VS Code, Cursor, Windsurf and whoever does as they do. */
function fromEditor(text: string, folder: string): string {
  const workspace = projectFolder(folder)
  return text.replace(/\$\{([^}]+)\}/g, (whole, inside: string) => {
    const [, kind, name = ''] = /^(env|input):(.+)$/.exec(inside) ?? []
    if (kind === 'env') return `\${${name}}`
    if (kind === 'input') return `\${${inputVariable(name)}}`
    if (inside === 'workspaceFolder') return workspace
    if (inside === 'workspaceFolderBasename') return basename(workspace)
    if (inside === 'userHome') return `\${HOME}`
    return inside === '/' || inside === 'pathSeparator' ? '/' : whole
  })
}

function visit(node: SourceNode, change: (text: string) => string): SourceNode {
  switch (node.kind) {
    case 'map': {
      const members = [...node.members].map(([key, value]) => [key, visit(value, change)] as const)
      return toMap(node, new Map(members))
    }
    case 'list':
      return toList(
        node,
        node.items.map((item) => visit(item, change)),
      )
    case 'scalar': {
      if (typeof node.value !== 'string') return node
      const text = change(node.value)
      return { ...node, value: text, text }
    }
    default:
      return node satisfies never
  }
}
