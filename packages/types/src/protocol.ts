/** The transport protocols of Service ports, as Kubernetes spells them. */
export type Protocol = 'TCP' | 'UDP' | 'SCTP'
