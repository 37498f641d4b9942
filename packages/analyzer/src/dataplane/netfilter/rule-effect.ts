/** The effect of a single line on packets. */
export interface RuleEffect {
  /** Whether it rejects or drops them. */
  readonly refuses: boolean
  /** The DNAT destinations: `10.244.1.1:8080`; several if the choice is random. */
  readonly sendsTo: readonly string[]
  /** Whether it accepts no new connections. */
  readonly acceptsNoConnections: boolean
  /** The line as the tool prints it. */
  readonly rule: string
}
