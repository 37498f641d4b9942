/** The transport protocols of Service ports, as Kubernetes spells them. */
export type Protocol = 'TCP' | 'UDP' | 'SCTP'

/** All transport protocols of Service ports. */
export const PROTOCOLS: readonly Protocol[] = ['TCP', 'UDP', 'SCTP']

/** The protocols of Service ports by the names that rules use. */
export const PROTOCOLS_BY_NAME: ReadonlyMap<string, Protocol> = new Map(
  PROTOCOLS.map((protocol) => [protocol.toLowerCase(), protocol]),
)
