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

export const NODE_NAMES = ['node-1', 'node-2'] as const
