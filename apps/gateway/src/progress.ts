import yoctoSpinner from 'yocto-spinner'

/** What takes less than this needs no explanation, in milliseconds. */
const patience = 500

/** Shows that work goes on while it does, on a terminal alone: elsewhere nothing is written. */
export async function withSpinner<T>(text: string, work: () => Promise<T>): Promise<T> {
  if (!process.stderr.isTTY) return await work()
  const spinner = yoctoSpinner({ text, stream: process.stderr })
  const timer = setTimeout(() => spinner.start(), patience)
  try {
    return await work()
  } finally {
    clearTimeout(timer)
    spinner.stop()
  }
}
