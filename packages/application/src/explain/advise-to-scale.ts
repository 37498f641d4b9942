import type { Diagnosis } from '@kube-rules/analyzer/explain'
import { formatReference } from '@kube-rules/types'
import type { AssumedValue } from '@kube-rules/types/manifests'

/** Replaces the advice to start a pod for a Service if the objects contain its workload, which has 0 replicas. */
export function adviseToScale(diagnosis: Diagnosis, assumed: readonly AssumedValue[]): Diagnosis {
  const reason = assumed.find(
    ({ kind, object }) => kind === 'noEndpoints' && formatReference(object) === diagnosis.object,
  )?.value
  const [, workload, kind = '', namespace = '', name = ''] =
    /^((\w+) ([-\w.]+)\/([-\w.]+))(?: and .*)? ha(?:s|ve) 0 replicas$/.exec(reason ?? '') ?? []
  const [first, ...others] = diagnosis.steps
  if (workload === undefined || first?.text.startsWith('Start a pod') !== true) return diagnosis
  const scale = {
    text: `Scale ${workload} with kubectl`,
    command: `kubectl -n ${namespace} scale ${kind.toLowerCase()} ${name} --replicas=1`,
  }
  return { ...diagnosis, steps: [scale, ...others] }
}
