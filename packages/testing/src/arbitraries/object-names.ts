/** The name of an object. */
export interface ObjectName {
  readonly namespace: string
  readonly name: string
}

/** Names that are prefixes of one another, and the same name in two namespaces. */
export const OBJECT_NAMES: readonly ObjectName[] = [
  { namespace: 'a', name: 'web' },
  { namespace: 'a', name: 'web-1' },
  { namespace: 'a', name: 'w' },
  { namespace: 'a-b', name: 'web' },
  { namespace: 'b', name: '0db' },
]

/** The names that the API server accepts for Services: they start with a letter. */
export const SERVICE_NAMES: readonly ObjectName[] = OBJECT_NAMES.filter(({ name }) => /^[a-z]/.test(name))

/** Returns a unique number for each name, as part of the addresses and ports of the Service. */
export function numberOf(name: ObjectName): number {
  return OBJECT_NAMES.findIndex((each) => each.namespace === name.namespace && each.name === name.name) + 2
}

export const NODE_NAMES = ['node-1', 'node-2'] as const
