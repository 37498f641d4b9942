/** The transport protocols a Service port may have, as Kubernetes spells them. */
export type Protocol = 'TCP' | 'UDP' | 'SCTP'
