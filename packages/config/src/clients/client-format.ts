import type { ClientKind } from './client-files.ts'

/** How a client's file is made. */
export interface ClientFormat {
  /** What its makers call it. */
  readonly title: string
  /** Where its servers stand; what is new goes to the first. */
  readonly sections: readonly (readonly string[])[]
}

export const clientFormats: Readonly<Record<ClientKind, ClientFormat>> = {
  'claude-code': { title: 'Claude Code', sections: [['mcpServers']] },
  'claude-desktop': { title: 'Claude Desktop', sections: [['mcpServers']] },
  codex: { title: 'Codex', sections: [['mcp_servers']] },
  cursor: { title: 'Cursor', sections: [['mcpServers']] },
  gemini: { title: 'Gemini CLI', sections: [['mcpServers']] },
  opencode: { title: 'OpenCode', sections: [['mcp'], ['mcp', 'servers']] },
  vscode: { title: 'VS Code', sections: [['servers'], ['mcp', 'servers'], ['mcpServers']] },
  windsurf: { title: 'Windsurf', sections: [['mcpServers']] },
  zed: { title: 'Zed', sections: [['context_servers']] },
}
