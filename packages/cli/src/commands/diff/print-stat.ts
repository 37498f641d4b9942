import type { CompileResult, Endpoint, Plan, ServicePlan } from '@kube-rules/compiler'
import type { IpFamily } from '@kube-rules/types'

/**
 * A line for each thing that happens to a service port, ordered by the names of service ports and then by family:
 * `+2 -1 endpoints default/web:http`, `changed default/web:http`, `added default/x:http`, `removed default/y:http`. The
 * family is named where the service port exists in both. Endpoints count where traffic can reach them.
 */
export function statLines(previous: CompileResult, next: CompileResult): readonly string[] {
  return pairServices(previous, next).flatMap(serviceLines)
}

/** One service port in one family; undefined in the result that does not have it. */
interface ServicePair {
  readonly name: string
  readonly family: IpFamily
  readonly before?: ServicePlan | undefined
  readonly after?: ServicePlan | undefined
  readonly otherFamily: boolean
}
