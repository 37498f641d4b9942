import { expect } from '@jest/globals'
import { rulesSerializer } from '../matchers/rules-serializer.js'
import type { PacketTo } from '../matchers/to-reach.js'
import { toReach } from '../matchers/to-reach.js'

// Adds the matcher and the snapshot serializer to Jest: `import '@kube-rules/testing/jest'` in a setup file or test.

expect.extend({ toReach })
expect.addSnapshotSerializer(rulesSerializer)

declare module 'expect' {
  interface Matchers<R> {
    /** Matches if packets always reach an endpoint, or these endpoints; see `toReach` of `@kube-rules/testing/matchers`. */
    toReach(packet: PacketTo, endpoints?: readonly string[]): R
  }
}

export type { PacketTo } from '../matchers/to-reach.js'
