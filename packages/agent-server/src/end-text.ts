import type { EndReason } from './items.ts'

/** What a person, or a calling agent, is told about a turn that did not simply end. */
export function endText(reason: EndReason, why: string): string {
  switch (reason) {
    case 'limit':
      return `[Stopped: ${why}. What was done until then is kept; say how to go on.]`
    case 'cancelled':
      return `[Cancelled: ${why}. What was done until then is kept.]`
    case 'blocked':
      return `[Refused: ${why}]`
    case 'error':
    case 'done':
      return `[Failed: ${why.replace(/\.$/, '')}. What was done until then is kept.]`
    default:
      return reason satisfies never
  }
}
