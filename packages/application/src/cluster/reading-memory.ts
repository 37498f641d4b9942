import type { Service } from '@kube-rules/types'
import type { Manifests } from '@kube-rules/types/schema'
import { createKnownPieces, type KnownPieces } from './known-pieces.js'

/** What is remembered of the objects that were read last, so that the identical ones are not looked at again. */
export interface ReadingMemory {
  readonly pieces: KnownPieces
  manifests?: Manifests | undefined
  /** The Services that were given cluster IPs, by what they were without. */
  readonly assigned: WeakMap<Service, Service>
}

export function createReadingMemory(): ReadingMemory {
  return { pieces: createKnownPieces(), assigned: new WeakMap() }
}
