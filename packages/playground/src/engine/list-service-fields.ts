import type { Service } from '@kube-rules/types'
import type { LabeledValues } from './field-changes.js'
import { listLabeledValues } from './list-labeled-values.js'

/**
 * Labels of Service fields that cannot be derived from the field name by separating its words. The labels of lists are
 * in the singular.
 */
const LABELS: Readonly<Record<string, string>> = {
  externalIPs: 'external IP',
  healthCheckNodePort: 'health-check node port',
  ipFamilies: 'IP family',
  ipFamilyPolicy: 'IP family policy',
  loadBalancerIP: 'requested load-balancer IP',
  loadBalancerSourceRanges: 'source range',
}

/** Lists the fields of a Service, except its ports, in words. `unknown` are the names of fields without a meaning. */
export function listServiceFields(
  { metadata, spec, status }: Service,
  unknown: ReadonlySet<string> = new Set(),
): LabeledValues {
  const { ports, clusterIP, clusterIPs, sessionAffinity, sessionAffinityConfig, ...others } = spec ?? {}
  const { labels, annotations, name, namespace } = metadata ?? {}
  const timeout = sessionAffinityConfig?.clientIP?.timeoutSeconds ?? 10800
  return [
    ['name', name ?? ''],
    ['namespace', namespace ?? ''],
    ...listLabeledValues(others, '').map(
      ([path, value]) =>
        [unknown.has(`spec.${path}`) ? `unknown field ${path}` : (LABELS[path] ?? toWords(path)), value] as const,
    ),
    ...(clusterIPs ?? [clusterIP]).map((ip) => ['cluster IP', ip ?? ''] as const),
    ['session affinity', sessionAffinity === 'ClientIP' ? `${timeout} s` : ''],
    ...(status?.loadBalancer?.ingress ?? []).flatMap((ingress) =>
      listLabeledValues(ingress, '').map(
        ([path, value]) => [`load-balancer ${path === 'ip' ? 'IP' : path}`, value] as const,
      ),
    ),
    ...listLabeledValues({ ...labels, ...annotations }, '').filter(([key]) =>
      /^service\.(?:\w+\.)?kubernetes\.io\//.test(key),
    ),
  ]
}

/** Separates the words of a name: `externalTrafficPolicy` is `external traffic policy`. */
function toWords(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
}
