import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import type { ApiServer } from '../bed/api-server.js'
import {
  fakeMachine,
  NODE,
  nodeWith,
  SERVER,
  SILENT,
  service,
  slice,
  start,
  startProgrammed,
  usedPort,
} from '../bed/fake-node.js'
import { connectTo } from '../src/connection.js'
import { readMachine } from '../src/machine.js'
import { createMetrics, recordWritten } from '../src/metrics.js'
import type { ApiObject } from '../src/reflect.js'
import type { RunTool } from '../src/run-tool.js'
import { createStore } from '../src/store.js'
import { createSynchronizer } from '../src/synchronizer.js'
import { connectWithLoss } from './lost-packets.js'

const within = (expectation: () => unknown) => vi.waitFor(expectation, 10_000)
const NO_LISTENER = { onList: () => {}, onChange: () => {}, onDeletion: () => {} }
const pause = () => new Promise((resolve) => setTimeout(resolve, 200))

it('the proxy programs no rules until it has listed every kind of object', async () => {
  const { api, machine } = await start({ prepare: (server) => server.faults.slowLists(300) })
  await within(() => expect(api.counts.streams).toBeGreaterThan(0))
  expect(machine.loads).toEqual([])
  await within(() => expect(machine.loads.join('')).toContain('--to-destination 10.244.1.5:8080'))
})

it('the proxy loads only the rules that change with an endpoint', async () => {
  const { machine, putEndpoints } = await startProgrammed()
  await putEndpoints('10.244.1.5', '10.244.1.6')
  expect(machine.loads.join('')).not.toMatch(/KUBE-POSTROUTING|--to-destination 10\.244\.1\.5:8080/)
})

it('the proxy inserts missing shared jumps together with the rules', async () => {
  const { machine, first } = await startProgrammed()
  expect(first).toHaveLength(1)
  expect(first[0]).toContain('*filter\n-I INPUT -j KUBE-FIREWALL\n-I OUTPUT -j KUBE-FIREWALL\nCOMMIT\n')
  expect(machine.calls.filter((call) => call.includes(' -C '))).toEqual([])
})

it.each([
  ['v1.36.2', []],
  ['v1.37.0', ['kube-proxy 1.37 rejects the configuration']],
])('the proxy checks its configuration for the version of its Node: %s', async (version, reasons) => {
  const configuration = { showHiddenMetricsForVersion: '1.35' }
  const { machine, fails } = await start({
    ...{ configuration, completedFor: '1.36' },
    prepare: (server) => server.put('Node', nodeWith(version)),
  })
  await within(() => expect([machine.loads.length > 0, fails]).toEqual([reasons.length === 0, reasons]))
  await pause()
  expect(machine.loads.length > 0).toBe(reasons.length === 0)
})

it('the proxy receives changes after a network failure although its connections outlive it', async () => {
  let isLossy = false
  let attempts = 0
  const prepare = (server: ApiServer) => {
    server.kubeConfig = () => {
      if (!isLossy) return connectTo(server.url)
      attempts += 1
      return connectWithLoss(server.url)
    }
  }
  const { api, putEndpoints } = await startProgrammed({ prepare, networkProbeTimes: { silence: 100, pause: 10 } })
  isLossy = true
  api.faults.freeze()
  // The second attempt shows that the first one has failed.
  await within(() => expect(attempts).toBeGreaterThan(1))
  isLossy = false
  await putEndpoints('10.244.1.6')
})

it('the proxy ignores heartbeats of its Node', async () => {
  const { api, metrics } = await startProgrammed()
  const queued = async () => /last_queued_timestamp_seconds.*/.exec(await metrics('/metrics'))?.[0]
  const before = await queued()
  api.put('Node', {
    ...NODE,
    status: { ...(NODE as unknown as { status: object }).status, conditions: [{ type: 'Ready' }] },
  } as ApiObject)
  await pause()
  expect(await queued()).toBe(before)
})

it('the proxy uses the new Node version after an upgrade', async () => {
  const { api, first, loaded } = await startProgrammed({ prepare: (server) => server.put('Node', nodeWith('v1.24.3')) })
  expect(first.join('')).not.toContain('KUBE-PROXY-FIREWALL')
  api.put('Node', NODE)
  await loaded(':KUBE-PROXY-FIREWALL - [0:0]')
})

it('the proxy waits for an address of its Node and, in mode NodeCIDR, for its pod network', async () => {
  const configuration = { detectLocalMode: 'NodeCIDR' } as const
  const spec = { podCIDRs: ['10.244.7.0/24'] }
  const prepare = (server: ApiServer) => server.put('Node', { metadata: NODE.metadata, spec } as ApiObject)
  const { api, machine, lines } = await start({ configuration, prepare })
  await within(() => expect(lines.join('')).toContain('waiting for the Node'))
  for (const node of [NODE, nodeWith('v1.34.1', spec)]) {
    await pause()
    expect(machine.loads).toEqual([])
    api.put('Node', node)
  }
  await within(() => expect(machine.loads.join('')).toContain('! -s 10.244.7.0/24'))
})

it.each([
  ['without its Node', (server: ApiServer) => server.remove('Node', NODE)],
  ['without an address of its Node', (server: ApiServer) => server.put('Node', nodeWith('v1.36.2', {}, []))],
])('the proxy programs rules %s after a wait', async (_, prepare) => {
  const nodeWaitTimes = { address: 300, podNetwork: 60_000 }
  const { machine, lines, fails } = await start({ prepare, nodeWaitTimes })
  await within(() => expect(lines.join('')).toContain('waiting for the Node'))
  expect(machine.loads).toEqual([])
  await within(() => expect(machine.loads.join('')).toContain('--to-destination 10.244.1.5:8080'))
  expect(lines.join('')).toContain('continuing without an address of the Node')
  expect(fails).toEqual([])
})

it.each([
  ['the Node does not exist', (server: ApiServer) => server.remove('Node', NODE)],
  ['the Node has no pod network', () => {}],
])('the proxy exits in mode NodeCIDR if %s after a longer wait', async (reason, prepare) => {
  const configuration = { detectLocalMode: 'NodeCIDR' } as const
  const { fails, machine } = await start({ configuration, prepare, nodeWaitTimes: { address: 100, podNetwork: 200 } })
  await within(() => expect(fails).toEqual([reason]))
  expect(machine.loads).toEqual([])
})

it.each([
  ['v1.36.2', 'by an event', true],
  ['v1.36.2', 'by a list', true],
  ['v1.37.0', 'by an event', false],
  ['v1.37.0', 'by a list', false],
])('the proxy of %s keeps the rules while its Node is deleted, detected %s (eligible: %s)', async (...row) => {
  const [version, way, isEligible] = row
  const node = nodeWith(version)
  const { api, machine, health, lines } = await startProgrammed({ prepare: (server) => server.put('Node', node) })
  if (way === 'by a list') api.faults.answer(503)
  api.remove('Node', node)
  if (way === 'by a list') {
    api.faults.expire()
    api.faults.answer(0)
  }
  await within(() => expect(lines.join('')).toContain('the Node is deleted'))
  expect(JSON.parse(await health('/healthz')).nodeEligible).toBe(isEligible)
  expect(machine.loads).toEqual([])
  api.put('Node', nodeWith(version, { taints: [] }))
  await within(async () => expect(JSON.parse(await health('/healthz')).nodeEligible).toBe(true))
})

it.each([
  ['gets another address', [{ type: 'InternalIP', address: '192.168.0.9' }]],
  ['loses its addresses', []],
])('the proxy keeps the addresses for node ports while its Node %s', async (_, addresses) => {
  const { api, machine, lines, putEndpoints } = await startProgrammed({
    mode: 'nftables',
    prepare: (server) => server.put('Node', nodeWith('v1.36.2')),
  })
  api.put('Node', nodeWith('v1.36.2', {}, addresses))
  await within(() => expect(lines.join('')).toContain('[nodeChanged]'))
  await putEndpoints('10.244.1.6')
  expect(machine.loads.join('')).not.toContain('nodeport-ips')
})

it('the proxy programs no rules if a dump omits the rules of the proxy mode', async () => {
  const { machine, lines } = await startProgrammed({ mode: 'nftables' })
  machine.listFails = true
  await within(() => expect(lines.join('')).toContain('nft: busy'))
  expect(machine.loads).toEqual([])
})

it('the proxy programs changes while it cannot compare the rules of the node, and compares them later', async () => {
  const { machine, lines, putEndpoints } = await startProgrammed({ mode: 'nftables', fullSyncPeriod: 300 })
  machine.listFails = true
  await within(() => expect(lines.join('')).toContain('the rules of the node are not compared'))
  await putEndpoints('10.244.1.6')
  machine.listFails = false
  const before = machine.calls.length
  await within(() => expect(machine.calls.slice(before).join('\n')).toContain('nft list tables'))
})

it('the synchronizer reads the rules again if they change while it reads them', async () => {
  const { machine, run, files } = fakeMachine()
  let whileReading = () => {}
  const reading: RunTool = (tool, args, input) => {
    if (tool === 'iptables-save') whileReading()
    return run(tool, args, input)
  }
  const synchronizer = createSynchronizer({
    ...{ tracked: { nodeName: 'node-1', mode: 'iptables' }, usesInterfaces: false },
    ...{ store: createStore([], NO_LISTENER), machine: await readMachine(run, files, 'iptables') },
    ...{ files, run: reading, metrics: createMetrics(undefined), log: SILENT },
  })
  const reads = () => machine.calls.filter((call) => call.startsWith('iptables-save')).length
  await synchronizer.sync()
  synchronizer.readNext()
  whileReading = synchronizer.readNext
  await synchronizer.sync()
  whileReading = () => {}
  await synchronizer.sync()
  expect(reads()).toBe(3)
  await synchronizer.sync()
  expect(reads()).toBe(3)
})

it('the proxy deletes unused nftables chains with the next change, or alone after a period', async () => {
  const { api, machine, putEndpoints } = await startProgrammed({ mode: 'nftables' })
  const deletion = (address: string) => new RegExp(`^delete chain .*__${address}/8080$`, 'm')
  await putEndpoints('10.244.1.6')
  expect(machine.loads.join('')).not.toMatch(/^delete chain/m)
  await putEndpoints('10.244.1.7')
  expect(machine.loads[1]).toMatch(deletion('10.244.1.5'))
  await within(() => expect(machine.loads[2]).toMatch(deletion('10.244.1.6')))
  await putEndpoints('10.244.1.8')
  api.put('EndpointSlice', slice('web', '10.244.1.7'))
  // A transaction cannot delete a chain that it adds again.
  await within(() =>
    expect(machine.loads).toContainEqual(expect.stringMatching(/^delete chain .*__10.244.1.7\/8080\n$/)),
  )
})

it('the proxy reads the node state again and converges after a failed command or a flush', async () => {
  const { machine, metrics, loaded, putEndpoints } = await startProgrammed()
  machine.works = false
  await putEndpoints('10.244.1.7')
  machine.works = true
  machine.loads = []
  await loaded('-A KUBE-POSTROUTING ')
  expect(machine.loads.join('')).toContain('10.244.1.7')
  expect(await metrics('/metrics')).toMatch(/partial_restore_failures_total\{ip_family="IPv4"\} 1/)
  machine.loads = []
  machine.isFlushed = true
  await loaded('-A KUBE-POSTROUTING ')
})

it('the proxy reports that the node is programmed even if the first update failed', async () => {
  const { lines, machine } = await start({ prepare: (server) => server.faults.slowLists(100) })
  machine.works = false
  await within(() => expect(lines.join('')).toContain('"the node is not programmed"'))
  machine.works = true
  await within(() => expect(lines.join('')).toContain('"the node is programmed"'))
})

it('the proxy logs each diagnostic of an object only once', async () => {
  const { lines, putEndpoints } = await startProgrammed({
    prepare: (server) => server.put('Service', service('bad', 'not-an-address')),
  })
  for (let turn = 0; turn < 5; turn++) await putEndpoints(`10.244.2.${turn}`)
  expect(lines.filter((line) => line.includes('not-an-address'))).toHaveLength(1)
})

it('the proxy sets the same kernel parameters as kube-proxy', async () => {
  const { written } = await startProgrammed()
  expect(Object.fromEntries(written)).toMatchObject({
    '/proc/self/oom_score_adj': '-999',
    '/proc/sys/net/ipv4/conf/all/route_localnet': '1',
    '/proc/sys/net/netfilter/nf_conntrack_tcp_timeout_established': '86400',
    '/proc/sys/net/netfilter/nf_conntrack_tcp_timeout_close_wait': '3600',
  })
  expect(Number(written.get('/proc/sys/net/netfilter/nf_conntrack_max'))).toBeGreaterThanOrEqual(131_072)
})

it('the proxy prepares the kernel for ipvs before it loads virtual servers', async () => {
  const { machine, written } = await start({ mode: 'ipvs' })
  await within(() =>
    expect(machine.calls.join('\n')).toMatch(
      /^ipvsadm -R.*\n?-C\n(.*\n)*-a -t 10\.96\.0\.10:80 -r 10\.244\.1\.5:8080/m,
    ),
  )
  const first = machine.calls.findIndex((call) => call.startsWith('ipvsadm -R'))
  const before = machine.calls.slice(0, first)
  const modules = before.flatMap((call) => /^modprobe (\S+) $/.exec(call)?.[1] ?? [])
  expect(modules).toEqual(['ip_vs', 'ip_vs_rr', 'nf_conntrack', 'dummy'])
  expect(before).toContain('ipvsadm --set 900 120 300 ')
  expect(Object.fromEntries(written)).toMatchObject({
    '/proc/sys/net/ipv4/vs/conntrack': '1',
    '/proc/sys/net/ipv4/ip_forward': '1',
    '/proc/sys/net/ipv4/conf/all/arp_ignore': '1',
    '/proc/sys/net/ipv4/conf/all/arp_announce': '2',
  })
})

it('the proxy drops packets to unallocated addresses of current ServiceCIDRs in nftables mode', async () => {
  const networks = (...cidrs: string[]) => ({ metadata: { name: 'kubernetes' }, spec: { cidrs } }) as ApiObject
  const { api, first, loaded } = await startProgrammed({
    mode: 'nftables',
    prepare: (server) => server.put('ServiceCIDR', networks('10.96.0.0/16')),
  })
  expect(first.join('')).toContain('ip daddr { 10.96.0.0/16 }')
  api.put('ServiceCIDR', networks('10.96.0.0/16', '10.112.0.0/16'))
  await loaded('ip daddr { 10.96.0.0/16,10.112.0.0/16 }')
})

it('the proxy keeps a real server with weight 0 in ipvs mode until its connections end', async () => {
  const { api, machine } = await start({
    mode: 'ipvs',
    prepare: (server) => server.put('EndpointSlice', slice('web', '10.244.1.5', '10.244.1.6')),
  })
  const sent = (text: string) => within(() => expect(machine.calls.join('\n')).toContain(text))
  await sent('-a -t 10.96.0.10:80 -r 10.244.1.6:8080')
  const list = (connections: string) => `${SERVER}  -> 10.244.1.6:8080 Masq 1 ${connections}\n`
  machine.servers = list('0 1')
  api.put('EndpointSlice', slice('web', '10.244.1.5'))
  await sent('-e -t 10.96.0.10:80 -r 10.244.1.6:8080 -m -w 0\n')
  api.put('EndpointSlice', slice('web', '10.244.1.5', '10.244.1.7'))
  await sent('-a -t 10.96.0.10:80 -r 10.244.1.7:8080')
  expect(machine.calls.join('\n')).not.toContain('-d -t 10.96.0.10:80 -r 10.244.1.6:8080')
  machine.servers = list('0 0')
  await sent('-d -t 10.96.0.10:80 -r 10.244.1.6:8080\n')
})

it('the proxy converges after the removal of all virtual servers from the node', async () => {
  const { machine } = await start({ mode: 'ipvs' })
  const added = () => within(() => expect(machine.calls.join('\n')).toContain('-a -t 10.96.0.10:80 -r 10.244.1.5:8080'))
  await added()
  machine.calls = []
  machine.servers = ''
  await added()
})

it('the proxy deletes only the stale UDP connections, with one command', async () => {
  const spec = { ports: [{ name: 'main', port: 53, protocol: 'UDP' }] }
  const dns = (...addresses: string[]) =>
    ({ ...slice('dns', ...addresses), ports: [{ name: 'main', port: 5353, protocol: 'UDP' }] }) as unknown as ApiObject
  const { api, machine, written } = await startProgrammed({
    prepare: (server) => {
      server.put('Service', service('dns', '10.96.0.53', spec))
      server.put('EndpointSlice', dns('10.244.1.1', '10.244.1.2', '10.244.1.3'))
    },
  })
  const entry = (address: string, port: number) =>
    `ipv4 2 udp 17 29 src=10.244.9.9 dst=10.96.0.53 sport=${port} dport=53 src=${address} dst=10.244.9.9 sport=5353 dport=${port} mark=0 use=1`
  const entries = [entry('10.244.1.1', 1), entry('10.244.1.2', 2), entry('10.244.1.3', 3)]
  written.set('/proc/self/net/nf_conntrack', entries.join('\n'))
  machine.calls = []
  api.put('EndpointSlice', dns('10.244.1.1'))
  const deletions = () => machine.calls.filter((call) => call.startsWith('sh -c '))
  await within(() => expect(deletions()).toHaveLength(1))
  expect(deletions()[0]).toMatch(/^sh -c .*conntrack --load-file/)
  const deleted = deletions()[0]?.match(/10\.244\.1\.\d/g)
  expect(deleted?.sort()).toEqual(['10.244.1.2', '10.244.1.3'])
})

it('the proxy reports its start as an event about its Node', async () => {
  const { api } = await start()
  await within(() => expect(api.events).toMatchObject([{ reason: 'Starting', regarding: { name: 'node-1' } }]))
})

it('the proxy stops its servers but keeps the rules when it stops', async () => {
  const { machine, proxy, health } = await startProgrammed()
  await proxy.stop()
  expect(machine.loads).toEqual([])
  await expect(health('/healthz')).rejects.toThrow()
})

it('the proxy serves the HTTP paths and metrics of kube-proxy', async () => {
  const { health, metrics, putEndpoints } = await startProgrammed()
  await putEndpoints('10.244.1.9')
  const measured = /network_programming_duration_seconds_count\{ip_family="IPv4"\} 1/
  await within(async () => expect(await metrics('/metrics')).toMatch(measured))
  expect(await metrics('/proxyMode?x')).toBe('iptables')
  expect(await metrics('//')).toBe('404 page not found\n')
  expect(await metrics('/healthz')).toBe('ok')
  const { 'kubeproxy.config.k8s.io': configuration } = JSON.parse(await metrics('/configz'))
  expect(configuration).toMatchObject({ clusterCIDR: '10.244.0.0/16', configSyncPeriod: '15m0s' })
  expect(JSON.parse(await health('/healthz'))).toMatchObject({
    ...{ nodeEligible: true, healthy: true },
    status: { IPv4: { healthy: true } },
  })
  expect(JSON.parse(await health('/livez'))).not.toHaveProperty('nodeEligible')
  const text = await metrics('/metrics')
  expect(Array.from(text.matchAll(/^# TYPE ((?:kubeproxy|rest_client)_\S+ \S+)/gm), ([, name]) => name).sort()).toEqual(
    METRICS,
  )
  expect(text).toContain('kubeproxy_sync_proxy_rules_iptables_total{ip_family="IPv4",table="nat"}')
  expect(text).toMatch(/iptables_last\{ip_family="IPv4",table="nat"\} [1-9]/)
  expect(text).toMatch(/iptables_last\{ip_family="IPv4",table="filter"\} 0/)
  expect(text).toContain('kubeproxy_proxy_healthz_total{code="200"} 1')
})

it('the proxy serves the metrics of requests and the status pages of kube-proxy', async () => {
  const { metrics, api, written } = await startProgrammed()
  written.set('/proc/self/net/netstat', 'IpExt: InOctets OutOctets\nIpExt: 7 9\n')
  const text = await metrics('/metrics')
  expect(text).toMatch(/^process_network_receive_bytes_total 7$/m)
  expect(text).toMatch(/^process_network_transmit_bytes_total 9$/m)
  const host = new URL(api.url).host
  expect(text).toContain(`rest_client_requests_total{code="200",host="${host}",method="GET"}`)
  expect(text).toContain(`rest_client_request_duration_seconds_count{host="${host}",verb="GET"}`)
  for (const name of ['request_size_bytes', 'response_size_bytes'])
    expect(text).toMatch(new RegExp(`rest_client_${name}_count\\{host="${host}",verb="POST"\\} [1-9]`))
  expect(text).toMatch(/kubernetes_build_info\{major="1",minor="34",git_version="v1\.34",.*platform="linux\/\w+"\} 1/)
  expect(text).toContain('conntrack_reconciler_deleted_entries_total{ip_family="IPv4"} 0')
  expect(await metrics('/metrics/slis')).toContain('\nkubernetes_healthcheck{name="ping",type="healthz"} 1\n')
  expect(await metrics('/statusz')).toMatch(/kube-proxy statusz\n(.*\n)*Emulation version: 1\.34\nPaths: /)
  expect(await metrics('/flagz')).toMatch(/kube-proxy flagz\n(.*\n)*proxy-mode=iptables\n/)
})

it('the proxy is healthy after a late update although the system clock was set back', async () => {
  const { machine, health, loaded, putEndpoints } = await startProgrammed()
  machine.works = false
  await putEndpoints('10.244.1.7')
  const clock = vi.spyOn(Date, 'now').mockReturnValue(Date.now() - 3_600_000)
  Object.assign(machine, { works: true, loads: [] })
  await loaded('10.244.1.7')
  for (let turn = 0; turn < 3; turn++) await pause()
  let time = Date.now()
  // A millisecond passes with each reading of the clock.
  clock.mockImplementation(() => time++)
  const { lastUpdated, currentTime } = JSON.parse(await health('/livez'))
  clock.mockRestore()
  expect(lastUpdated).toBe(currentTime)
})

it('the proxy does not measure the latency of deletions, or of changes before its start', async () => {
  const old = slice('web', '10.244.1.6')
  const annotations = { 'endpoints.kubernetes.io/last-change-trigger-time': '2026-01-01T00:00:00Z' }
  const { api, metrics, loaded } = await startProgrammed()
  api.put('EndpointSlice', { ...old, metadata: { ...old.metadata, annotations } })
  await loaded('10.244.1.6')
  api.remove('EndpointSlice', slice('web', '10.244.1.6'))
  await vi.waitFor(async () => expect(await metrics('/metrics')).toMatch(/endpoint_changes_total 2/), 5_000)
  await pause()
  expect(await metrics('/metrics')).not.toContain('network_programming_duration_seconds_count{')
})

it('the proxy reports a health-check port in use as an event about the Service', async () => {
  const port = await usedPort()
  const spec = { type: 'LoadBalancer', externalTrafficPolicy: 'Local', healthCheckNodePort: port }
  const { api } = await start({ prepare: (server) => server.put('Service', service('web', '10.96.0.10', spec)) })
  await within(() => expect(api.events[1]).toMatchObject({ regarding: { kind: 'Service', name: 'web' } }))
  expect(api.events[1]).toMatchObject({ reason: 'FailedToStartServiceHealthcheck' })
})

it('the proxy retries to listen on an address in use, or fails if bindAddressHardFail is set', async () => {
  const healthzBindAddress = `0.0.0.0:${await usedPort()}`
  const failing = await start({ configuration: { healthzBindAddress, bindAddressHardFail: true } })
  await within(() => expect(failing.fails.join('')).toContain('EADDRINUSE'))
  const reason = 'FailedToStartProxierHealthcheck'
  await within(() => expect(failing.api.events).toContainEqual(expect.objectContaining({ reason })))
  const { fails, lines } = await start({ configuration: { healthzBindAddress } })
  await within(() => expect(lines.join('')).toContain('EADDRINUSE'))
  expect(fails).toEqual([])
})

it('the proxy exits for a restart if its configuration file changes', async () => {
  const configFile = join(mkdtempSync(join(tmpdir(), 'proxy-test-')), 'config.yaml')
  writeFileSync(configFile, 'mode: iptables')
  const { fails } = await start({ configFile })
  await pause()
  expect(fails).toEqual([])
  writeFileSync(configFile, 'mode: nftables')
  await within(() => expect(fails).toEqual(['the configuration file has changed']))
})

it('the metric of the last update sums the rules of all inputs', async () => {
  const metrics = createMetrics(undefined)
  const input = (...rules: readonly string[]) => `*nat\n:KUBE-SERVICES - [0:0]\n${rules.join('\n')}\nCOMMIT\n`
  recordWritten(metrics, 'iptables-restore', input('-A KUBE-SERVICES 1', '-A KUBE-SERVICES 2') + input('-I INPUT 1'))
  recordWritten(metrics, 'iptables-restore', input('-A KUBE-SERVICES 3'))
  expect(await metrics.registry.metrics()).toContain('iptables_last{ip_family="IPv4",table="nat"} 4\n')
})

it('the proxy exports nfacct counters as Prometheus counters', async () => {
  const { registry } = createMetrics(async () => new Map([['ct_state_invalid_dropped_pkts', 7]]))
  const text = await registry.metrics()
  expect(text).toContain('# TYPE kubeproxy_iptables_ct_state_invalid_dropped_packets_total counter\n')
  expect(text).toContain('\nkubeproxy_iptables_ct_state_invalid_dropped_packets_total 7\n')
})

it('the proxy exports the metrics of its mode only', async () => {
  const families = async (mode: 'iptables' | 'nftables') =>
    (await createMetrics(undefined, mode).registry.metrics()).match(/ip6?tables|nftables/g)
  expect(new Set(await families('iptables'))).toEqual(new Set(['iptables']))
  expect(new Set(await families('nftables'))).toEqual(new Set(['nftables']))
})

/**
 * The metrics of kube-proxy in iptables mode, from the metrics reference of Kubernetes 1.36, on a machine without nfacct.
 * Those of client-go about its rate limiter, retries, name resolution, transport and plugins are missing.
 */
const METRICS = [
  'kubeproxy_conntrack_reconciler_deleted_entries_total counter',
  'kubeproxy_conntrack_reconciler_sync_duration_seconds histogram',
  'kubeproxy_network_programming_duration_seconds histogram',
  'kubeproxy_proxy_healthz_total counter',
  'kubeproxy_proxy_livez_total counter',
  'kubeproxy_sync_full_proxy_rules_duration_seconds histogram',
  'kubeproxy_sync_partial_proxy_rules_duration_seconds histogram',
  'kubeproxy_sync_proxy_rules_duration_seconds histogram',
  'kubeproxy_sync_proxy_rules_endpoint_changes_pending gauge',
  'kubeproxy_sync_proxy_rules_endpoint_changes_total counter',
  'kubeproxy_sync_proxy_rules_iptables_last gauge',
  'kubeproxy_sync_proxy_rules_iptables_partial_restore_failures_total counter',
  'kubeproxy_sync_proxy_rules_iptables_restore_failures_total counter',
  'kubeproxy_sync_proxy_rules_iptables_total gauge',
  'kubeproxy_sync_proxy_rules_last_queued_timestamp_seconds gauge',
  'kubeproxy_sync_proxy_rules_last_timestamp_seconds gauge',
  'kubeproxy_sync_proxy_rules_no_local_endpoints_total gauge',
  'kubeproxy_sync_proxy_rules_service_changes_pending gauge',
  'kubeproxy_sync_proxy_rules_service_changes_total counter',
  'rest_client_request_duration_seconds histogram',
  'rest_client_request_size_bytes histogram',
  'rest_client_requests_total counter',
  'rest_client_response_size_bytes histogram',
]
