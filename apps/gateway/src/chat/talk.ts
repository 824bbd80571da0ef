import type { UsedGateway } from '../use-gateway.ts'
export async function talk(_gateway: UsedGateway, _options: { agent?: string | undefined; thread?: string | undefined }): Promise<number> { return 0 }
