import { afterAll, type TestContext } from 'vitest'
import { type Capability, requireCapabilities } from './capabilities.js'
import { openSandbox, type Sandbox } from './sandbox.js'

/**
 * Provides one sandbox for the tests of a block or file. It opens for the first test, runs `prepare`, and closes after
 * the last test. Skips a test if one of its requirements is missing.
 */
export function useSandbox<Prepared = Sandbox>(
  needs: readonly Capability[],
  prepare: (sandbox: Sandbox) => Promise<Prepared> = async (sandbox) => sandbox as Prepared,
  open: () => Sandbox | Promise<Sandbox> = openSandbox,
): (context: TestContext) => Promise<Prepared> {
  let sandbox: Sandbox | undefined
  let prepared: Promise<Prepared> | undefined
  afterAll(() => sandbox?.close())
  return async (context) => {
    await requireCapabilities(context, needs)
    prepared ??= Promise.resolve(open()).then((opened) => {
      sandbox = opened
      return prepare(opened)
    })
    return prepared
  }
}
