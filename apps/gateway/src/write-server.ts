export async function writeServer(..._: unknown[]): Promise<void> {}
export async function removeServer(..._: unknown[]): Promise<void> {}
