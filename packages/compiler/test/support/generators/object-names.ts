/** Where an object is found. */
export interface ObjectName {
  readonly namespace: string
  readonly name: string
}

/** Names that begin with one another, and one name in two namespaces. */
export const OBJECT_NAMES: readonly ObjectName[] = [
  { namespace: 'a', name: 'web' },
  { namespace: 'a', name: 'web-1' },
  { namespace: 'a', name: 'w' },
  { namespace: 'a-b', name: 'web' },
  { namespace: 'b', name: '0db' },
]

export const NODE_NAMES = ['node-1', 'node-2'] as const
