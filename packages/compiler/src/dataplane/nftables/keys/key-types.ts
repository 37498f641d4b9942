import type { SetDefinition } from '../ast.js'

/** The types of the parts of a set's keys; none where it says `typeof`. */
export function keyTypes({ key }: SetDefinition): readonly string[] {
  return key.kind === 'type' ? key.types : []
}
