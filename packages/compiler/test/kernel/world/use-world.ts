import { afterAll, type TestContext } from 'vitest'
import { type Capability, requireCapabilities } from './capabilities.js'
import { openWorld, type World } from './world.js'

/**
 * One world for the tests of a block or file: opened for the first that runs, given `prepare` to set up, and closed
 * after the last. A test that asks for it is skipped where something it needs is missing.
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
