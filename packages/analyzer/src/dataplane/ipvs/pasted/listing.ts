import { resolvePortNames } from '../../netfilter/port-names.js'

const SERVICE_OPTIONS: Readonly<Record<string, string>> = { TCP: '-t', UDP: '-u', SCTP: '--sctp-service' }

const SERVER =
  /^(?<protocol>TCP|UDP|SCTP)\s+(?<place>\S+:[\w-]*)\s+(?<scheduler>[a-z]+)(?:\s+\((?<flags>[\w,-]+)\))?(?:\s+persistent\s+(?<seconds>\d+)(?:\s+mask\s+(?<mask>\S+))?)?(?:\s+pe\s+(?<engine>\S+))?(?<ops>\s+ops)?\s*$/

/** Returns the command that creates the virtual server of a row: `TCP  10.96.0.1:443 rr persistent 10800`. */
export function toVirtualServerCommand(row: string): string | undefined {
  const groups = SERVER.exec(row)?.groups
  if (groups === undefined) return undefined
  const { protocol = '', place = '', scheduler = '', flags, seconds, mask, engine, ops } = groups
  return [
    `-A ${SERVICE_OPTIONS[protocol]} ${formatLocation(place)} -s ${scheduler}`,
    ...(seconds === undefined ? [] : [`-p ${seconds}`]),
    ...(mask === undefined ? [] : [`-M ${mask}`]),
    ...(engine === undefined ? [] : [`--pe ${engine}`]),
    ...(ops === undefined ? [] : ['-o']),
    ...(flags === undefined ? [] : [`-b ${flags}`]),
  ].join(' ')
}

/** The numbers that `--stats` and `--rate` print in place of the scheduler and the weights. */
const COUNTS = String.raw`(?:\s+\d[\d.]*[KMGT]?){5}\s*$`

const COUNTED_SERVER = new RegExp(String.raw`^(?<protocol>TCP|UDP|SCTP)\s+(?<place>\S+:[\w-]+)${COUNTS}`)
/** `--persistent-conn` and `--thresholds` print four numbers; the first one is the weight or a threshold. */
const COUNTED_REAL_SERVER = new RegExp(String.raw`^->\s+(?<place>\S+:[\w-]+)(?:${COUNTS}|\s+[1-9]\d*(?:\s+\d+){3}\s*$)`)

/**
 * Replaces the numbers in a row of statistics with the missing values: the scheduler and the weight that kube-proxy
 * uses. Returns any other row unchanged.
 */
export function replaceStatistics(row: string): string {
  const { protocol, place } = COUNTED_SERVER.exec(row)?.groups ?? {}
  if (place !== undefined) return `${protocol} ${place} rr`
  const { place: realPlace } = COUNTED_REAL_SERVER.exec(row)?.groups ?? {}
  return realPlace === undefined ? row : `-> ${realPlace} Masq 1`
}

const FORWARDING: Readonly<Record<string, string>> = { Masq: '-m', Route: '-g', Tunnel: '-i' }

/**
 * Returns the command that adds the real server in a row (`-> 10.244.1.1:8080 Masq 1 0 0`). `server` is the command
 * that creates its virtual server.
 */
export function toRealServerCommand(row: string, server: string): string | undefined {
  const match = /^->\s+(?<place>\S+:[\w-]+)\s+(?<forwarding>Masq|Route|Tunnel)\s+(?<weight>\d+)(?:\s|$)/.exec(row)
  const { place = '', forwarding = '', weight = '' } = match?.groups ?? {}
  if (match === null) return undefined
  const [, option = '', of = ''] = server.split(' ')
  return `-a ${option} ${of} -r ${formatLocation(place)} ${FORWARDING[forwarding]} -w ${weight}`
}

function formatLocation(text: string): string {
  const colon = text.lastIndexOf(':')
  return `${text.slice(0, colon + 1)}${resolvePortNames(text.slice(colon + 1))}`
}
