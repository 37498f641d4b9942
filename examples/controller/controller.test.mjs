import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
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

/** As much of an API server as informers need: lists, and watches to which `send` adds events. */
async function startApiServer(objects) {
  const watches = new Map()
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url, 'http://localhost')
    response.writeHead(200, { 'content-type': 'application/json' })
    if (searchParams.get('watch') === null) {
      response.end(JSON.stringify({ metadata: { resourceVersion: '1' }, items: objects[pathname] }))
    } else {
      response.flushHeaders()
      watches.set(pathname, response)
    }
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const kubeConfig = new KubeConfig()
  kubeConfig.loadFromOptions({
    clusters: [{ name: 'fake', server: `http://127.0.0.1:${server.address().port}`, skipTLSVerify: true }],
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
  return { kubeConfig, send, close }
}

async function until(condition, signal) {
  while (!condition()) await setTimeout(5, undefined, { signal })
}

test('loads the rules once everything is known, then changes what changes, and loads all again after a failure', {
  timeout: 30_000,
}, async (context) => {
  const slices = '/apis/discovery.k8s.io/v1/endpointslices'
  const server = await startApiServer({
    '/api/v1/services': [SERVICE],
    '/api/v1/nodes': [NODE],
    [slices]: [slice('1', '10.244.1.5')],
  })
  const commands = []
  let works = true
  const execute = (command) => {
    if (command.failureMeans === 'notThereYet') return false
    commands.push(command)
    return works
  }
  const loadedSince = (count) =>
    commands
      .slice(count)
      .map(({ input }) => input)
      .join('')
  const controller = startController({
    kubeConfig: server.kubeConfig,
    options: { nodeName: 'node-1', families: ['IPv4'], configuration: { clusterCIDR: '10.244.0.0/16' } },
    execute,
    log: (message) => context.diagnostic(message),
    quiet: 10,
    again: 10,
  })
  try {
    await until(() => commands.some(({ input }) => input.includes('--to-destination 10.244.1.5:8080')), context.signal)
    assert.match(loadedSince(0), /-A KUBE-POSTROUTING /)

    const first = commands.length
    await server.send(slices, { type: 'MODIFIED', object: slice('2', '10.244.1.5', '10.244.2.7') })
    await until(() => commands.length > first, context.signal)
    assert.match(loadedSince(first), /--to-destination 10\.244\.2\.7:8080/)
    assert.doesNotMatch(loadedSince(first), /KUBE-POSTROUTING|--to-destination 10\.244\.1\.5:8080/)

    works = false
    const second = commands.length
    await server.send(slices, { type: 'MODIFIED', object: slice('3', '10.244.3.9') })
    await until(() => commands.length > second, context.signal)
    works = true
    await until(() => loadedSince(second).includes('-A KUBE-POSTROUTING '), context.signal)
    assert.match(loadedSince(second), /--to-destination 10\.244\.3\.9:8080/)
  } finally {
    await controller.stop()
    server.close()
  }
})
