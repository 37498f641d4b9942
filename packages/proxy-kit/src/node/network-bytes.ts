/** The bytes of all interfaces of a network namespace since its start. */
export interface NetworkBytes {
  /** The number of received bytes. */
  readonly received: number
  /** The number of sent bytes. */
  readonly sent: number
}

/**
 * Reads the numbers for the metrics `process_network_receive_bytes_total` and `process_network_transmit_bytes_total`
 * from the text of `/proc/self/net/netstat`. Returns undefined if the text does not have them.
 *
 * @example
 * ```ts
 * parseNetworkBytes('IpExt: InOctets OutOctets\nIpExt: 7 9\n') // => { received: 7, sent: 9 }
 * ```
 */
export function parseNetworkBytes(text: string): NetworkBytes | undefined {
  const [names = [], values = []] = text
    .split('\n')
    .filter((line) => line.startsWith('IpExt: '))
    .map((line) => line.trimEnd().split(' '))
  const [received, sent] = ['InOctets', 'OutOctets'].map((name) => Number(values[names.indexOf(name)] ?? Number.NaN))
  return Number.isInteger(received) && Number.isInteger(sent) ? ({ received, sent } as NetworkBytes) : undefined
}
