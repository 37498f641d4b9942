import { expect } from 'vitest'
// Remains in the declarations, where TypeScript needs it to find the module that is extended.
import 'vitest'
import { rulesSerializer } from '../matchers/rules-serializer.js'
import type { PacketTo } from '../matchers/to-reach.js'
import { toReach } from '../matchers/to-reach.js'

// Adds the matcher and the snapshot serializer to Vitest: `import '@kube-rules/testing/vitest'` in a setup file or test.

expect.extend({ toReach })
expect.addSnapshotSerializer(rulesSerializer)

declare module 'vitest' {
  // biome-ignore lint/suspicious/noExplicitAny: as Vitest declares it
  interface Assertion<T = any> {
    /** Matches if packets always reach an endpoint, or these endpoints; see `toReach` of `@kube-rules/testing/matchers`. */
    toReach(packet: PacketTo, endpoints?: readonly string[]): void
  }
}

export type { PacketTo } from '../matchers/to-reach.js'
