// An interpreter of `ipvsadm -R`: from text to servers. It models the behavior of ipvsadm and is independent of the
// library, so that neither can repeat an error of the other.

export interface HeldServer {
  /** The text after the address: `-s rr`. */
  readonly spec: string
  /** The real servers: `10.244.1.1:8080` → `-m -w 1`. */
  readonly realServers: ReadonlyMap<string, string>
}

/** The servers by protocol and address: `-t 10.96.0.1:80`. */
export type HeldServers = ReadonlyMap<string, HeldServer>

/**
 * Applies the input to the servers. Reports each line that the kernel rejects to `onRefusal` and continues, as ipvsadm
 * does.
 */
export function restoreServers(
  servers: HeldServers,
  input: string,
  onRefusal: (line: string) => void = (line) => {
    throw new Error(`refused: ${line}`)
  },
): HeldServers {
  if (!input.endsWith('\n')) throw new Error('no newline at the end')
  const result = new Map(servers)
  for (const line of input.split('\n').slice(0, -1)) {
    if (line === '-C') result.clear()
    else if (!runLine(result, line)) onRefusal(line)
  }
  return result
}

/** Returns false if the kernel rejects the line. */
function runLine(servers: Map<string, HeldServer>, line: string): boolean {
  const match =
    /^-([AEDaed]) (-t|-u|--sctp-service) (\[[0-9a-f:]+\]:\d+|[\d.]+:\d+)(?: -r (\[[0-9a-f:]+\]:\d+|[\d.]+:\d+))?(?: (.*))?$/.exec(
      line,
    )
  if (match === null) throw new Error(`cannot read: ${line}`)
  const [, command = '', protocol, address, realServer, spec = ''] = match
  const isAboutRealServer = command === command.toLowerCase()
  if (isAboutRealServer !== (realServer !== undefined)) throw new Error(`cannot read: ${line}`)
  const key = `${protocol} ${address}`
  const known = servers.get(key)
  if (isAboutRealServer)
    return known !== undefined && runRealServer(servers, key, known, command, realServer ?? '', spec)
  if ((command === 'A') === (known !== undefined)) return false
  if (command === 'D') servers.delete(key)
  else servers.set(key, { spec, realServers: known?.realServers ?? new Map() })
  return true
}

function runRealServer(
  servers: Map<string, HeldServer>,
  key: string,
  server: HeldServer,
  command: string,
  realServer: string,
  spec: string,
): boolean {
  const realServers = new Map(server.realServers)
  if ((command === 'a') === realServers.has(realServer)) return false
  if (command === 'd') realServers.delete(realServer)
  else realServers.set(realServer, spec)
  servers.set(key, { ...server, realServers })
  return true
}
