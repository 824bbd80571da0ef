/** What nanobot's files say beside their servers, and Mobius does not honour yet. */
export const laterKeys: ReadonlyMap<string, string> = new Map([
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

/** The same in an agent. */
export const laterAgentKeys: ReadonlyMap<string, string> = new Map([
  ['flows', 'flows are not yet honoured'],
  ['mimeTypes', 'attachments of every type are taken'],
  ['threadName', 'each conversation has a name of its own'],
  ['toolChoice', 'not yet honoured: the model chooses whether it calls a tool'],
  ['toolExtensions', 'not yet honoured: models are told of tools what their servers say'],
  ['truncation', 'what is old is summarised before it would be too much'],
])

/** The same in a declaration of `env`. */
export const laterVariableKeys: ReadonlyMap<string, string> = new Map([
  ['useBearerToken', "a client's token is for the gateway alone, and never handed on"],
])

/** How nanobot calls the dialects of models. */
export const nanobotDialects: ReadonlyMap<string, string> = new Map([
  ['AnthropicMessages', 'anthropic'],
  ['OpenAIChatCompletions', 'openai-chat'],
  ['OpenAIResponses', 'openai-responses'],
  ['OpenResponses', 'open-responses'],
])

/** The same in `publish`. */
export const laterPublishKeys: ReadonlyMap<string, string> = new Map([
  ['name', 'not yet honoured: Mobius introduces itself as mobius'],
  ['version', 'not yet honoured: Mobius introduces itself with its own version'],
  ['instructions', 'not yet honoured: clients are given the instructions of the servers'],
  ['introduction', 'introductions are not yet honoured'],
])

/** Lists of `publish` whose references say what to include, beside `entrypoint`. */
export const publishLists: readonly string[] = [
  'agents',
  'mcpServers',
  'tools',
  'prompts',
  'resources',
  'resourceTemplates',
]
