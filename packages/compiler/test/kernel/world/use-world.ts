import { afterAll, type TestContext } from 'vitest'
import { type Capability, requireCapabilities } from './capabilities.js'
import { openWorld, type World } from './world.js'

/**
 * Provides one sandbox for the tests of a block or file. It opens for the first test, runs `prepare`, and closes after
 * the last test. Skips a test if one of its requirements is missing.
 */
export function useWorld<Prepared = World>(
  needs: readonly Capability[],
  prepare: (world: World) => Promise<Prepared> = async (world) => world as Prepared,
  open: () => World | Promise<World> = openWorld,
): (context: TestContext) => Promise<Prepared> {
  let world: World | undefined
  let prepared: Promise<Prepared> | undefined
  afterAll(() => world?.close())
  return async (context) => {
    await requireCapabilities(context, needs)
    prepared ??= Promise.resolve(open()).then((opened) => {
      world = opened
      return prepare(opened)
    })
    return prepared
  }
}
