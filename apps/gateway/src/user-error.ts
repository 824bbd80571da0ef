/** A mistake that whoever runs the command can correct: printed without a stack. */
export class UserError extends Error {
  override readonly name = 'UserError'
}
