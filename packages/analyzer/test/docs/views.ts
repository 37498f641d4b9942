import { explain, type Packet } from '@kube-rules/analyzer'
import { traceContextFor } from '@kube-rules/analyzer/explain'
import { explanationView, findRuleLines, printLines, sourceObjectsOf, type View } from '@kube-rules/analyzer/view'
import { compile } from '@kube-rules/compiler'

const service = {
  metadata: { namespace: 'default', name: 'web' },
  spec: { clusterIP: '10.96.0.10', ports: [{ name: 'http', port: 80 }] },
}
const slice = {
  metadata: { namespace: 'default', name: 'web-1', labels: { 'kubernetes.io/service-name': 'web' } },
  addressType: 'IPv4',
  ports: [{ name: 'http', port: 8080 }],
  endpoints: [{ addresses: ['10.244.1.5'] }, { addresses: ['10.244.2.7'] }],
}
const result = compile({ services: [service], endpointSlices: [slice] }, { mode: 'nftables', families: ['IPv4'] })

/** Returns an outline of a packet's paths; each line has the line numbers of its rules. */
export function outlineOf(packet: Packet): readonly string[] {
  return result.families.flatMap(({ state, plan }) => {
    const rules = printLines(state, { format: 'save' })
    const outline = (view: View, depth: number): readonly string[] =>
      view.flatMap(({ label, rules: about, children }) => {
        const numbers = about.flatMap((rule) => findRuleLines(rules, rule)).map((index) => index + 1)
        const line = `${'  '.repeat(depth)}${label}${numbers.length === 0 ? '' : ` [${numbers.join(' ')}]`}`
        return [line, ...outline(children, depth + 1)]
      })
    return outline(explanationView(explain(state, packet, { plan, ...traceContextFor(plan) })), 0)
  })
}

/** Returns the objects that define these rules. */
export function objectsBehind(servicePort: string): readonly string[] {
  return sourceObjectsOf(result, servicePort).map(({ kind, namespace, name }) => `${kind} ${namespace}/${name}`)
}
