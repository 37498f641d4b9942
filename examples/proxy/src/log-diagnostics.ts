import { type Diagnostic, formatDiagnostic } from '@kube-rules/compiler'
import type { Logger } from './log.js'

/** The verbosity of diagnostics that have no effect on the rules of other objects, by severity. */
const VERBOSITY: Readonly<Record<Diagnostic['severity'], number>> = { error: 0, warning: 2, info: 4 }

/** The kinds whose diagnostics matter to the whole node. */
const NODE_KINDS: readonly string[] = ['Node', 'KubeProxyConfiguration']

/** The maximum number of diagnostics to remember. */
const REMEMBERED = 10_000

/**
 * Returns a function that logs each diagnostic once. Diagnostics of single Services and EndpointSlices are details, of
 * which the first call logs only the number: clusters have hundreds of them, and they come again at each start.
 */
export function createDiagnosticLog(log: Logger): (diagnostics: readonly Diagnostic[]) => void {
  const known = new Set<string>()
  let isFirst = true
  return (diagnostics) => {
    const added = diagnostics.filter((each) => !known.has(formatDiagnostic(each)))
    for (const each of added) {
      const text = formatDiagnostic(each)
      if (known.size < REMEMBERED) known.add(text)
      const fields = { severity: each.severity, diagnostic: text.replace(/^\w+: /, '') }
      if (each.severity === 'error') log.error('an object has a problem', fields)
      else if (NODE_KINDS.includes(each.object.kind)) log.warning('the node has a problem', fields)
      else log.detail(VERBOSITY[each.severity], 'an object has a problem', fields)
    }
    const hidden = added.filter(({ severity, object }) => severity !== 'error' && !NODE_KINDS.includes(object.kind))
    if (isFirst && hidden.length > 0) log.info('objects have problems; --v=4 lists them', { problems: hidden.length })
    isFirst = false
  }
}
