import type { Diagnostic } from '@kube-rules/types'
import { addWarning, createDiagnosticCollector } from '../reading/diagnostic-collector.js'
import { type Fields, isAbsent, isObject } from '../reading/read-field.js'
import { CONFIGURATION_REFERENCE } from './effective-configuration.js'
import { isVersionAtLeast } from './versions.js'

/** The fields that kube-proxy got after 1.14, each with its first version. */
const SINCE: ReadonlyMap<string, string> = new Map([
  ['ipvs.strictARP', '1.15'],
  ['detectLocalMode', '1.18'],
  ['showHiddenMetricsForVersion', '1.18'],
  ['ipvs.tcpTimeout', '1.18'],
  ['ipvs.tcpFinTimeout', '1.18'],
  ['ipvs.udpTimeout', '1.18'],
  ['bindAddressHardFail', '1.19'],
  ['detectLocal', '1.24'],
  ['iptables.localhostNodePorts', '1.26'],
  ['logging', '1.28'],
  ['nftables', '1.29'],
  ['conntrack.tcpBeLiberal', '1.29'],
  ['conntrack.udpTimeout', '1.29'],
  ['conntrack.udpStreamTimeout', '1.29'],
])

/**
 * The fields that older versions accept but ignore: they have no effect, and any value is valid. Each field has the
 * first version without the field.
 */
const IGNORED_UNTIL: ReadonlyMap<string, string> = new Map([
  ['conntrack.max', '1.16'],
  ['resourceContainer', '1.16'],
])

/**
 * The fields that older versions read and newer versions do not have, excluding `IGNORED_UNTIL`. Each field has the
 * first version without the field.
 */
const UNTIL: ReadonlyMap<string, string> = new Map([['udpIdleTimeout', '1.26']])

/**
 * Returns the fields of a configuration, of unknown content, that the version reads. Leaves out a field of a later
 * version, with a warning, like the lenient decoding of kube-proxy.
 */
export function selectFieldsOfVersion(
  configuration: unknown,
  version: string,
): { readonly configuration: unknown; readonly diagnostics: readonly Diagnostic[] } {
  const collector = createDiagnosticCollector(CONFIGURATION_REFERENCE)
  let read = configuration
  const leaveOut = (path: string, message: string, expected?: string) => {
    if (isAbsent(valueAt(read, path))) return
    addWarning(collector, 'unknownField', path, message, expected)
    read = without(read, path)
  }
  for (const [path, since] of SINCE) {
    if (!isVersionAtLeast(version, since)) {
      leaveOut(path, `unknown to kube-proxy ${version}, ignored`, `${since} or newer`)
    }
  }
  for (const [path, until] of IGNORED_UNTIL) if (!isVersionAtLeast(version, until)) read = without(read, path)
  for (const [path, until] of UNTIL) if (isVersionAtLeast(version, until)) leaveOut(path, 'unknown field, ignored')
  return { configuration: read, diagnostics: collector.diagnostics }
}

function valueAt(configuration: unknown, path: string): unknown {
  const [first = '', second] = path.split('.')
  const value = ownValue(configuration, first)
  return second === undefined ? value : ownValue(value, second)
}

function ownValue(value: unknown, name: string): unknown {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined
}

function without(configuration: unknown, path: string): unknown {
  const [first = '', second] = path.split('.')
  if (!isObject(configuration) || !Object.hasOwn(configuration, first)) return configuration
  const { [first]: section, ...rest }: Fields = configuration
  return second === undefined ? rest : { ...configuration, [first]: without(section, second) }
}
