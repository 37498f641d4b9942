import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { compile, print } from '@kube-rules/compiler'
import { KubeConfig } from '@kubernetes/client-node'
import { startController } from './controller.mjs'

const SERVICE = {
  metadata: { namespace: 'default', name: 'web', resourceVersion: '1' },
  spec: { clusterIP: '10.96.0.10', ports: [{ name: 'http', port: 80 }] },
}
const NODE = { metadata: { name: 'node-1', resourceVersion: '1' }, spec: { podCIDR: '10.244.1.0/24' } }

function slice(resourceVersion, ...addresses) {
  return {
    metadata: {
      namespace: 'default',
      name: 'web-1',
      resourceVersion,
      labels: { 'kubernetes.io/service-name': 'web' },
    },
    addressType: 'IPv4',
    ports: [{ name: 'http', port: 8080 }],
    endpoints: addresses.map((address) => ({ addresses: [address] })),
  }
}

const SERVICES = '/api/v1/services'
const SLICES = '/apis/discovery.k8s.io/v1/endpointslices'

function objectsWith(...addresses) {
  return { [SERVICES]: [SERVICE], '/api/v1/nodes': [NODE], [SLICES]: [slice('1', ...addresses)] }
}

/** Starts a minimal API server for informers: lists, and watches that receive events from `send`. */
async function startApiServer(objects, port = 0) {
  const watches = new Map()
  let lists = 0
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url, 'http://localhost')
    response.writeHead(200, { 'content-type': 'application/json' })
    if (searchParams.get('watch') === null) {
      lists += 1
      response.end(JSON.stringify({ metadata: { resourceVersion: '1' }, items: objects[pathname] }))
    } else {
      response.flushHeaders()
      watches.set(pathname, response)
    }
  })
  await once(server.listen(port, '127.0.0.1'), 'listening')
  const used = server.address().port
  const kubeConfig = new KubeConfig()
  kubeConfig.loadFromOptions({
    clusters: [{ name: 'fake', server: `http://127.0.0.1:${used}`, skipTLSVerify: true }],
    users: [{ name: 'fake' }],
    contexts: [{ name: 'fake', cluster: 'fake', user: 'fake' }],
    currentContext: 'fake',
  })
  const send = async (pathname, event) => {
    await until(() => watches.has(pathname))
    watches.get(pathname).write(`${JSON.stringify(event)}\n`)
  }
  const close = () => {
    server.closeAllConnections()
    server.close()
  }
  return { kubeConfig, port: used, lists: () => lists, watches: () => watches.size, send, close }
}

async function until(condition, signal) {
  while (!condition()) await setTimeout(5, undefined, { signal })
}

const TIMES = { quiet: 10, again: 10, look: 10, resync: 60_000 }
const OPTIONS = { nodeName: 'node-1', families: ['IPv4'], configuration: { clusterCIDR: '10.244.0.0/16' } }

/** A node on which every command succeeds. `saved` is the output of iptables-save. */
function fakeNode(saved = '') {
  const node = { saved, isFlushed: false, works: true, loads: [], reads: 0, entries: '', deletions: [] }
  const run = async (tool, args, input) => {
    if (tool === 'conntrack') {
      if (args[0] === '-D') node.deletions.push(args.join(' '))
      return { ok: true, stdout: node.entries, stderr: '' }
    }
    if (tool === 'iptables-save') {
      node.reads += 1
      return { ok: true, stdout: node.saved }
    }
    if (args.includes('-S'))
      return { ok: true, stdout: node.isFlushed ? '' : '-A KUBE-SERVICES -A KUBE-FORWARD -j KUBE-SERVICES' }
    if (input === '' && tool !== 'iptables') return { ok: false, stdout: '' }
    if (args.includes('-C')) return { ok: false, stdout: '', stderr: '' }
    node.loads.push(input)
    return { ok: node.works, stdout: '', stderr: '' }
  }
  return { node, run, loadedSince: (count) => node.loads.slice(count).join('') }
}

/** Calls a function while a controller runs. */
async function whileControlling(context, { objects, fake }, act) {
  const server = await startApiServer(objects)
  const log = (message) => context.diagnostic(message)
  const controller = startController({
    kubeConfig: server.kubeConfig,
    options: OPTIONS,
    run: fake.run,
    log,
    times: TIMES,
  })
  try {
    await act(server)
  } finally {
    await controller.stop()
    server.close()
  }
}

const LIMITS = { timeout: 60_000 }

test(
  'controller loads all rules after the initial sync, applies patches, and reloads after a failure',
  LIMITS,
  async (context) => {
    const fake = fakeNode()
    const { node, loadedSince } = fake
    await whileControlling(context, { objects: objectsWith('10.244.1.5'), fake }, async (server) => {
      await until(() => loadedSince(0).includes('--to-destination 10.244.1.5:8080'), context.signal)
      assert.match(loadedSince(0), /-A KUBE-POSTROUTING /)

      const first = node.loads.length
      await server.send(SLICES, { type: 'MODIFIED', object: slice('2', '10.244.1.5', '10.244.2.7') })
      await until(() => loadedSince(first).includes('--to-destination 10.244.2.7:8080'), context.signal)
      assert.doesNotMatch(loadedSince(first), /KUBE-POSTROUTING|--to-destination 10\.244\.1\.5:8080/)

      node.works = false
      const [second, reads] = [node.loads.length, node.reads]
      await server.send(SLICES, { type: 'MODIFIED', object: slice('3', '10.244.3.9') })
      await until(() => node.loads.length > second, context.signal)
      node.works = true
      const third = node.loads.length
      await until(() => loadedSince(third).includes('-A KUBE-POSTROUTING '), context.signal)
      assert.match(loadedSince(third), /--to-destination 10\.244\.3\.9:8080/)
      assert.ok(node.reads > reads, 'the node is read after a failure')
    })
  },
)

test('controller removes the leftovers of an earlier controller when it starts', LIMITS, async (context) => {
  const gone = {
    ...SERVICE,
    metadata: { namespace: 'default', name: 'gone' },
    spec: { ...SERVICE.spec, clusterIP: '10.96.0.11' },
  }
  const goneSlice = {
    ...slice('1', '10.244.1.6'),
    metadata: { ...slice('1').metadata, name: 'gone-1', labels: { 'kubernetes.io/service-name': 'gone' } },
  }
  const older = compile(
    {
      services: [SERVICE, gone],
      endpointSlices: [slice('1', '10.244.1.5'), goneSlice],
      nodes: [NODE],
      configuration: OPTIONS.configuration,
    },
    { nodeName: 'node-1', families: ['IPv4'] },
  )
  const fake = fakeNode(print(older.families[0].state, { format: 'save' }))
  const [chain] = /KUBE-SVC-\S+(?= .*default\/gone:http)/.exec(fake.node.saved)
  await whileControlling(context, { objects: objectsWith('10.244.1.5'), fake }, async () => {
    await until(() => fake.loadedSince(0).includes(`-X ${chain}\n`), context.signal)
    assert.doesNotMatch(fake.loadedSince(0), /--to-destination 10\.244\.1\.5:8080/)
  })
})

test('controller deletes UDP entries only for removed endpoints', LIMITS, async (context) => {
  const ports = [{ name: 'dns', port: 53, protocol: 'UDP' }]
  const fake = fakeNode()
  const { node } = fake
  node.entries = [udpEntry('10.244.1.5', 4001), udpEntry('10.244.1.6', 4002), ''].join('\n')
  const objects = {
    ...objectsWith(),
    [SERVICES]: [{ ...SERVICE, spec: { clusterIP: '10.96.0.10', ports } }],
    [SLICES]: [{ ...slice('1', '10.244.1.5'), ports }],
  }
  await whileControlling(context, { objects, fake }, async () => {
    await until(() => node.deletions.length > 0, context.signal)
  })
  assert.deepEqual(node.deletions, [
    '-D --orig-dst 10.96.0.10 -p udp --orig-port-dst 53 --reply-src 10.244.1.6 --reply-port-src 53',
  ])
})

/** The conntrack entry of a client for port 53 of the cluster IP, as `conntrack -L` prints it. */
function udpEntry(endpoint, port) {
  const client = '10.244.1.9'
  const original = `src=${client} dst=10.96.0.10 sport=${port} dport=53`
  return `udp      17 29 ${original} src=${endpoint} dst=${client} sport=53 dport=${port} [ASSURED] mark=0 use=1`
}

test('controller detects a flushed table', LIMITS, async (context) => {
  const fake = fakeNode()
  const { node, loadedSince } = fake
  await whileControlling(context, { objects: objectsWith('10.244.1.5'), fake }, async () => {
    await until(() => loadedSince(0).includes('--to-destination 10.244.1.5:8080'), context.signal)
    const count = node.loads.length
    node.isFlushed = true
    await until(() => loadedSince(count).includes('--to-destination 10.244.1.5:8080'), context.signal)
    node.isFlushed = false
  })
})

test('controller continues after an outage of the API server', LIMITS, async (context) => {
  const server = await startApiServer(objectsWith('10.244.1.5'))
  const child = spawn(process.execPath, ['--input-type=module', '--eval', CHILD, String(server.port)], {
    cwd: import.meta.dirname,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  let again
  try {
    await until(() => server.watches() === 3, context.signal)
    server.close()
    await setTimeout(100)
    again = await startApiServer(objectsWith('10.244.1.6'), server.port)
    await until(() => again.watches() === 3 || child.exitCode !== null, context.signal)
    assert.equal(child.exitCode, null)
  } finally {
    child.kill('SIGKILL')
    again?.close()
  }
})

/** The program of a child process with a controller. The process must not end by itself. */
const CHILD = `
import { KubeConfig } from '@kubernetes/client-node'
import { startController } from './controller.mjs'
const kubeConfig = new KubeConfig()
kubeConfig.loadFromOptions({
  clusters: [{ name: 'fake', server: 'http://127.0.0.1:' + process.argv[1], skipTLSVerify: true }],
  users: [{ name: 'fake' }],
  contexts: [{ name: 'fake', cluster: 'fake', user: 'fake' }],
  currentContext: 'fake',
})
const run = async () => ({ ok: true, stdout: '', stderr: '' })
startController({ kubeConfig, options: { nodeName: 'node-1' }, run, log: () => {}, times: { again: 1000, look: 60_000 } })
`
