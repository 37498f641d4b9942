/** Runs an action after all earlier actions have ended, and returns the promise of the action. */
export type SerialQueue = <T>(action: () => Promise<T>) => Promise<T>

/** Creates a queue that runs one action at a time, in the order of the calls. A failed action has no effect on others. */
export function createSerialQueue(): SerialQueue {
  let last: Promise<unknown> = Promise.resolve()
  return (action) => {
    const result = last.then(action)
    last = result.catch(() => {})
    return result
  }
}
