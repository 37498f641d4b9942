import { OUTPUT_FOR_PEOPLE } from '../messages/output-for-people.js'

/** A row of `kubectl get services`: only the fields that the table shows. */
export interface ServiceRow {
  /** Absent if the table has no column of namespaces. */
  readonly namespace?: string | undefined
  readonly name: string
  /** The cluster IP and the external addresses. */
  readonly addresses: readonly string[]
  readonly ports: readonly {
    readonly port: number
    readonly nodePort?: number | undefined
    readonly protocol: string
  }[]
  /** The selector, which only `-o wide` shows; `<none>` for a Service without one. */
  readonly selector?: string | undefined
}

/** A row of `kubectl get endpoints` or `kubectl get endpointslices`. */
export interface EndpointsRow {
  readonly namespace?: string | undefined
  /** The name of the Service. */
  readonly service: string
  /** Addresses with ports: `10.244.1.5:8080`. */
  readonly endpoints: readonly string[]
  /** Whether the row shows all endpoints; kubectl shows at most three. */
  readonly isComplete: boolean
}

/** The tables of `kubectl get` in a text. */
export interface KubectlTables {
  readonly services: readonly ServiceRow[]
  readonly endpoints: readonly EndpointsRow[]
}

/**
 * Describes tables of texts without rules, if possible a Service without endpoints, or the output of `kubectl describe`.
 * Undefined if the texts have neither.
 */
export function describeTablesAlone(texts: readonly string[]): string | undefined {
  const tables = texts.map(readKubectlTables)
  const endpoints = tables.flatMap((table) => table.endpoints)
  if (endpoints.length === 0 && tables.every(({ services }) => services.length === 0)) {
    return texts.some((text) => /^Name:(?: {2}|\t)/m.test(text)) ? OUTPUT_FOR_PEOPLE : undefined
  }
  const empty = endpoints.find((row) => row.isComplete && row.endpoints.length === 0)
  const finding =
    empty === undefined
      ? ''
      : `Service ${empty.namespace === undefined ? '' : `${empty.namespace}/`}${empty.service} has no endpoints in this table; `
  return `${finding}a table of kubectl shows no rules: add the output of iptables-save, ipvsadm -Sn or nft list ruleset of the node, or run kubectl get services,endpointslices -A -o yaml and read its output with -f`
}

/** The cells of a row, by the heading of their column. */
type Cells = ReadonlyMap<string, string>

/** Reads the tables of `kubectl get services,endpoints,endpointslices`, with or without `-A` and `-o wide`. */
export function readKubectlTables(text: string): KubectlTables {
  const services: ServiceRow[] = []
  const endpoints: EndpointsRow[] = []
  let headings: readonly string[] = []
  for (const line of text.split('\n')) {
    const source = line.trim()
    if (HEADINGS.test(source)) {
      headings = source.split(/\s+/)
      continue
    }
    const cells = readCells(source, headings)
    // Any other line ends a table.
    if (cells === undefined) headings = []
    else if (cells.has('CLUSTER-IP')) services.push(readService(cells))
    else endpoints.push(readEndpoints(cells))
  }
  return { services, endpoints }
}

const HEADINGS =
  /^(?:NAMESPACE\s+)?NAME\s+(?:TYPE\s+CLUSTER-IP\s+EXTERNAL-IP\s+PORT\(S\)|ENDPOINTS|ADDRESSTYPE\s+PORTS\s+ENDPOINTS)(?:\s+AGE)?(?:\s+SELECTOR)?$/

function readCells(source: string, headings: readonly string[]): Cells | undefined {
  const words = source.replace(MORE, '+$1').split(/\s+/)
  if (headings.length === 0 || words.length !== headings.length) return undefined
  return new Map(headings.map((heading, column) => [heading, words[column] ?? '']))
}

/** Matches the end of a list of endpoints that kubectl shortens: ` + 2 more...`. */
const MORE = / \+ (\d+) more\.\.\./

function readService(cells: Cells): ServiceRow {
  return {
    namespace: cells.get('NAMESPACE'),
    name: nameOf(cells),
    addresses: [...listOf(cells, 'CLUSTER-IP'), ...listOf(cells, 'EXTERNAL-IP')],
    ports: listOf(cells, 'PORT(S)').flatMap(readPort),
    selector: cells.get('SELECTOR'),
  }
}

/** Reads `80/TCP` and `80:30080/TCP`. */
function readPort(text: string): ServiceRow['ports'] {
  const [, port, nodePort, protocol] = /^(\d+)(?::(\d+))?\/([A-Z]+)$/.exec(text) ?? []
  if (port === undefined || protocol === undefined) return []
  return [{ port: Number(port), nodePort: nodePort === undefined ? undefined : Number(nodePort), protocol }]
}

function readEndpoints(cells: Cells): EndpointsRow {
  const shown = (cells.get('ENDPOINTS') ?? '').replace(/\+\d+$/, '')
  const items = shown === '' || shown.startsWith('<') ? [] : shown.split(',').filter((item) => item !== '')
  const ports = cells.has('PORTS') ? listOf(cells, 'PORTS') : undefined
  const isShortened = shown !== cells.get('ENDPOINTS') || ports?.some((port) => port.includes('+')) === true
  return {
    namespace: cells.get('NAMESPACE'),
    // The name of an EndpointSlice is that of its Service with five random characters.
    service: ports === undefined ? nameOf(cells) : nameOf(cells).replace(/-[a-z0-9]{5}$/, ''),
    endpoints: ports === undefined ? items : items.flatMap((ip) => ports.map((port) => joinPort(ip, port))),
    isComplete: !isShortened && !shown.startsWith('<unset'),
  }
}

function joinPort(ip: string, port: string): string {
  return ip.includes(':') ? `[${ip}]:${port}` : `${ip}:${port}`
}

/** Returns the name without the type: `service/web` is `web`. */
function nameOf(cells: Cells): string {
  const name = cells.get('NAME') ?? ''
  return name.slice(name.indexOf('/') + 1)
}

function listOf(cells: Cells, heading: string): readonly string[] {
  const cell = cells.get(heading) ?? ''
  return cell === '' || cell.startsWith('<') || cell === 'None' ? [] : cell.split(',')
}
