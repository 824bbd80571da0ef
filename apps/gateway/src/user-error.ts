/** A mistake that whoever runs the command can correct: printed without a stack. */
export class UserError extends Error {
  override readonly name = 'UserError'
  /** 2 where the command line or the configuration is wrong, 1 where what it names is not there. */
  readonly exitCode: 1 | 2

  constructor(message: string, exitCode: 1 | 2 = 2) {
    super(message)
    this.exitCode = exitCode
  }
}
