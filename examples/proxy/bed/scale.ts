// Measures the proxy with a large cluster: its start, the time of one change, its memory, and the bytes that it reads.
//
//     node dist/scale.mjs [--mode iptables|ipvs|nftables] [--services 5000] [--endpoints 10] [--changes 50] [--lists]
//
// With `--lists`, the API server does not support streaming lists.
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import type { ApiObject } from '../src/reflect.js'
import { type ApiServer, startApiServer } from './api-server.js'
import { clusterIPOf, NODE } from './cluster.js'
import { buildNetwork, isInside, podAddress, reasonAgainstBed, runInside, startPods } from './network.js'
import { createProxyProcess } from './proxy-process.js'
import { requestTcp } from './traffic.js'

const { values } = parseArgs({
  args: process.argv.slice(2).filter((word) => word !== '--'),
  options: {
    mode: { type: 'string', default: 'iptables' },
    services: { type: 'string', default: '5000' },
    endpoints: { type: 'string', default: '10' },
    changes: { type: 'string', default: '50' },
    lists: { type: 'boolean', default: false },
    verbose: { type: 'boolean', default: false },
  },
})
const PODS = 2
const LONGEST_START = 300_000

if (isInside()) {
  await measure()
  process.exit()
} else {
  const reason = reasonAgainstBed(`${values.mode}`)
  if (reason === undefined) process.exitCode = runInside()
  else console.log(`not run: ${reason}`)
}

async function measure(): Promise<void> {
  buildNetwork(PODS)
  const api = await startApiServer()
  if (values.lists) api.faults.refuseStreams()
  putCluster(api, Number(values.services), Number(values.endpoints))
  await startPods(PODS)
  const started: string[] = []
  const proxy = createProxyProcess(
    ['3600000', '--proxy-mode', `${values.mode}`, '--cluster-cidr', '10.0.0.0/8', '--master', api.url].concat([
      '--hostname-override=node-1',
      '--iptables-min-sync-period=100ms',
    ]),
    false,
    (line) => {
      if (line.includes('"the node is programmed"')) started.push(line)
      else if (/^[EW]/.test(line)) console.log(line)
      if (values.verbose) console.log(`${describeMemory(proxy)}: ${line}`)
    },
  )
  const start = performance.now()
  proxy.start()
  while (started.length === 0 && performance.now() - start < LONGEST_START) await sleep(5)
  const seconds = (performance.now() - start) / 1000
  const [all, own] = [proxy.processorTime(), proxy.ownProcessorTime()].map((each) => `${each.toFixed(1)} s`)
  console.log(`start: ${seconds.toFixed(1)} s, processor time ${all}, without tools ${own}`)
  console.log(
    `bytes from the API server: ${(api.counts.bytes / 1e6).toFixed(1)} MB in ${api.counts.lists} lists, ${api.counts.streams} streams`,
  )
  console.log(`memory after the start: ${describeMemory(proxy)}`)
  await sleep(20_000)
  const [before, ownBefore] = [proxy.processorTime(), proxy.ownProcessorTime()]
  const latencies = await measureChanges(api, Number(values.changes))
  const at = (part: number) => latencies[Math.floor(part * (latencies.length - 1))]?.toFixed(0)
  console.log(`one change: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms`)
  const [spent, ownSpent] = [proxy.processorTime() - before, proxy.ownProcessorTime() - ownBefore].map(
    (each) => `${((each * 1000) / latencies.length).toFixed(0)} ms`,
  )
  console.log(`processor time of one change: ${spent}, without tools ${ownSpent}`)
  await sleep(10_000)
  console.log(`memory: ${describeMemory(proxy)}`)
  await proxy.close()
}

function describeMemory({ memory, peakMemory }: ReturnType<typeof createProxyProcess>): string {
  return `${memory().toFixed(0)} MiB, peak ${peakMemory().toFixed(0)} MiB`
}

/** Measures the milliseconds from a change of the first Service on the API server until the new endpoint answers. */
async function measureChanges(api: ApiServer, count: number): Promise<readonly number[]> {
  const measured: number[] = []
  for (let turn = 0; turn < count; turn++) {
    await sleep(300)
    const address = podAddress(turn % PODS)
    const start = performance.now()
    api.put('EndpointSlice', sliceOf(0, [address]))
    while (performance.now() - start < 30_000 && (await requestTcp(clusterIPOf(0), 80).catch(() => '')) !== address)
      await sleep(1)
    measured.push(performance.now() - start)
  }
  return measured.sort((one, other) => one - other)
}

function putCluster(api: ApiServer, serviceCount: number, endpointCount: number): void {
  api.put('Node', NODE)
  api.put('ServiceCIDR', { metadata: { name: 'kubernetes' }, spec: { cidrs: ['10.96.0.0/12'] } } as ApiObject)
  for (let index = 0; index < serviceCount; index++) {
    api.put('Service', serviceOf(index))
    const addresses = Array.from({ length: endpointCount }, (_, at) => {
      const number = index * endpointCount + at
      return `10.244.${2 + (number >> 8)}.${number & 255}`.replace(/^10\.244\.(\d{3,})\./, (_all, third) => {
        return `10.${244 + (Number(third) >> 8)}.${Number(third) & 255}.`
      })
    })
    api.put('EndpointSlice', sliceOf(index, index === 0 ? [podAddress(0)] : addresses))
  }
}

/** The fields that API servers and controllers add to an object. The rules do not depend on them. */
function metadataOf(kind: string, name: string, labels: Readonly<Record<string, string>>): ApiObject['metadata'] {
  const fields = { 'f:metadata': { 'f:labels': { '.': {}, 'f:app': {} } }, 'f:spec': { 'f:ports': {}, 'f:type': {} } }
  return {
    ...{ namespace: 'default', name, labels },
    uid: `00000000-0000-0000-0000-${`${name.length}${name.replace(/\D/g, '')}`.padStart(12, '0')}`,
    creationTimestamp: '2026-01-01T00:00:00Z',
    generation: 1,
    ownerReferences: [{ apiVersion: 'v1', kind, name, uid: name, controller: true, blockOwnerDeletion: true }],
    managedFields: ['kube-controller-manager', 'kubectl-client-side-apply'].map((manager) => {
      const time = '2026-01-01T00:00:00Z'
      return { manager, operation: 'Update', apiVersion: 'v1', time, fieldsType: 'FieldsV1', fieldsV1: fields }
    }),
  } as ApiObject['metadata']
}

function serviceOf(index: number): ApiObject {
  const name = `service-${index}`
  const written = JSON.stringify({ apiVersion: 'v1', kind: 'Service', spec: { ports: [{ name: 'main', port: 80 }] } })
  return {
    metadata: {
      ...metadataOf('Service', name, { app: name }),
      annotations: { 'kubectl.kubernetes.io/last-applied-configuration': written },
    },
    spec: {
      ...{ type: 'ClusterIP', clusterIP: clusterIPOf(index), clusterIPs: [clusterIPOf(index)] },
      ...{ ipFamilies: ['IPv4'], ipFamilyPolicy: 'SingleStack', internalTrafficPolicy: 'Cluster' },
      ...{ selector: { app: name }, sessionAffinity: 'None' },
      ports: [{ name: 'main', port: 80, protocol: 'TCP', targetPort: 8080 }],
    },
    status: { loadBalancer: {} },
  } as ApiObject
}

function sliceOf(index: number, addresses: readonly string[]): ApiObject {
  const name = `service-${index}`
  const labels = { 'kubernetes.io/service-name': name, 'endpointslice.kubernetes.io/managed-by': 'controller' }
  return {
    metadata: {
      ...metadataOf('Service', `${name}-1`, labels),
      annotations: { 'endpoints.kubernetes.io/last-change-trigger-time': new Date().toISOString() },
    },
    addressType: 'IPv4',
    ports: [{ name: 'main', port: 8080, protocol: 'TCP' }],
    endpoints: addresses.map((address, at) => ({
      addresses: [address],
      conditions: { ready: true, serving: true, terminating: false },
      targetRef: { kind: 'Pod', namespace: 'default', name: `${name}-${at}`, uid: `${name}-${address}-000000000000` },
      nodeName: `node-${at + 1}`,
      zone: `zone-${at % 3}`,
    })),
  } as unknown as ApiObject
}
