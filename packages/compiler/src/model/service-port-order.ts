import type { ServicePortId } from './model.js'

/** Code-unit order of `text`, then protocol: the order of service ports everywhere. */
export function byServicePortId(a: ServicePortId, b: ServicePortId): number {
  if (a.text !== b.text) return a.text < b.text ? -1 : 1
  if (a.protocol === b.protocol) return 0
  return a.protocol < b.protocol ? -1 : 1
}
