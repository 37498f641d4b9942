/** The effect of an individual line on packets. */
export interface RuleEffect {
  /** Whether the line rejects or drops packets. */
  readonly refuses: boolean
  /** The DNAT destinations: `10.244.1.1:8080`; several if the choice is random. */
  readonly sendsTo: readonly string[]
  /** Whether the line accepts no new connections. */
  readonly acceptsNoConnections: boolean
  /** The line as the tool prints it. */
  readonly rule: string
}
