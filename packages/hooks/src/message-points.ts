/** MCP's methods that have no slash in their name. */
const plainMethods = ['initialize', 'ping']

/** Whether a point stands for messages: a method, or something with `*`. All others are of other families. */
export function isMessagePoint(point: string): boolean {
  return point.includes('/') || point.includes('*') || plainMethods.includes(point)
}
