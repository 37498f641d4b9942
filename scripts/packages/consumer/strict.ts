// The packages export a name for each argument and result of their functions, and for each error.
import {
  type CompileInput,
  type CompileOptions,
  type CompileResult,
  compile,
  type Diagnostic,
  DiagnosticsError,
  diff,
  type EndpointSlice,
  type Endpoints,
  type FamilyResult,
  formatDiagnostic,
  type IpFamily,
  type KubeProxyConfiguration,
  type Node,
  type NodeState,
  type ProxyMode,
  print,
  type ResultPatch,
  type Service,
  safeCompile,
  type ToolCommand,
  toCommands,
} from '@kube-rules/compiler'
import type { HealthCheckNodePort, HostRequirements, Plan } from '@kube-rules/compiler/plan'
import {
  type DiagnosticCode,
  formatReference,
  type HostFacts,
  type NetworkInterface,
  type ObjectReference,
  type Severity,
} from '@kube-rules/types'

const services: readonly Service[] = [
  {
    metadata: { namespace: 'default', name: 'web' },
    spec: { clusterIP: '10.96.0.10', ports: [{ name: 'http', port: 80 }] },
  },
]
const endpointSlices: Iterable<EndpointSlice> = new Set([{ addressType: 'IPv4' }])
const endpoints: readonly Endpoints[] = []
const nodes: readonly Node[] = [{ metadata: { name: 'node-1' } }]
const configuration: KubeProxyConfiguration = { clusterCIDR: '10.244.0.0/16' }
const interfaces: readonly NetworkInterface[] = []
const host: HostFacts = { interfaces }
const input: CompileInput = { services, endpointSlices, endpoints, nodes, configuration, host }
const mode: ProxyMode = 'ipvs'
const families: readonly IpFamily[] = ['IPv4']
const options: CompileOptions = { mode, families, nodeName: 'node-1', strict: true }

export function rules(): string {
  try {
    const result: CompileResult = compile(input, options)
    const family: FamilyResult | undefined = result.families[0]
    const state: NodeState | undefined = family?.state
    return state === undefined ? '' : print(state)
  } catch (error) {
    if (!(error instanceof DiagnosticsError)) throw error
    return error.diagnostics.map(formatDiagnostic).join('\n')
  }
}

export function partsOf(result: CompileResult): unknown {
  const counts: CompileResult['counts'] = result.counts
  return result.families.map((family) => {
    const plan: Plan = family.plan
    const ports: readonly HealthCheckNodePort[] = family.healthCheckNodePorts
    const requirements: HostRequirements | undefined = family.hostRequirements
    return { counts, plan, ports, requirements }
  })
}

export function commands(before: CompileResult | undefined, after: CompileResult): readonly ToolCommand[] {
  const patch: ResultPatch = diff(before, after)
  return toCommands(patch)
}

export function problems(): readonly string[] {
  const compiled = safeCompile(input, options)
  const diagnostics: readonly Diagnostic[] = compiled.ok ? compiled.value.diagnostics : compiled.problems
  return diagnostics.map(({ severity, code, object }) => words(severity, code, object))
}

function words(severity: Severity, code: DiagnosticCode, object: ObjectReference): string {
  return `${severity} ${code} ${formatReference(object)}`
}

// @ts-expect-error A mistyped field of a literal is found.
compile({ services: [{ metadat: {} }] })
