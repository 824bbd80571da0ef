/** What nanobot's files say beside their servers, and Mobius does not honour yet. */
export const laterKeys: ReadonlyMap<string, string> = new Map([
  ['agents', 'agents are not yet honoured'],
  ['llmProviders', 'models are not yet honoured'],
  ['prompts', 'prompts of a file are not yet honoured'],
  [
    'env',
    `declarations are not yet honoured; write \${VAR:-default} or \${VAR:?message} where it is used`,
  ],
  ['auth', 'not yet honoured; http: { keys: [...] } says who may come in'],
  ['workspaceId', 'workspaces are not yet honoured'],
  ['workspaceBaseUri', 'workspaces are not yet honoured'],
])

/** The same in the entry of a server. */
export const laterServerKeys: ReadonlyMap<string, string> = new Map([
  ['name', 'a server is called by its key'],
  ['shortName', 'a server is called by its key'],
  ['toolPrefix', 'not yet honoured; tools are called server__tool, or as publish: { rename } says'],
  ['ports', 'not yet honoured: nothing starts a program and reaches it at a URL'],
  ['reversePorts', 'containers are not yet honoured'],
  ['image', 'containers are not yet honoured'],
  ['dockerfile', 'containers are not yet honoured'],
  ['source', 'containers are not yet honoured'],
  ['workdir', 'containers are not yet honoured; cwd says where a program runs'],
  ['sandboxed', 'containers are not yet honoured'],
  ['unsandboxed', 'containers are not yet honoured'],
])

/** The same in `publish`. */
export const laterPublishKeys: ReadonlyMap<string, string> = new Map([
  ['name', 'not yet honoured: Mobius introduces itself as mobius'],
  ['version', 'not yet honoured: Mobius introduces itself with its own version'],
  ['instructions', 'not yet honoured: clients are given the instructions of the servers'],
  ['introduction', 'introductions are not yet honoured'],
])

/** Lists of `publish` whose references say what to include. */
export const publishLists: readonly string[] = [
  'entrypoint',
  'mcpServers',
  'tools',
  'prompts',
  'resources',
  'resourceTemplates',
]

/** True for the name of a server that is built into nanobot. */
export function isNanobotServer(name: string): boolean {
  return name.startsWith('nanobot.')
}
