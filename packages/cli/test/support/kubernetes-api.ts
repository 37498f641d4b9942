import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** The lists of a stand-in for an API server, by path; a missing path is forbidden. */
export type ApiLists = Readonly<Record<string, object>>

const GROUPS = [
  { name: 'discovery.k8s.io', resources: [{ name: 'endpointslices', kind: 'EndpointSlice', namespaced: true }] },
  { name: 'networking.k8s.io', resources: [{ name: 'servicecidrs', kind: 'ServiceCIDR', namespaced: false }] },
]

const CORE = [
  { name: 'services', kind: 'Service', namespaced: true },
  { name: 'nodes', kind: 'Node', namespaced: false },
  { name: 'configmaps', kind: 'ConfigMap', namespaced: true, shortNames: ['cm'] },
  { name: 'pods', kind: 'Pod', namespaced: true },
]

const resourceList = (groupVersion: string, resources: readonly object[]) => ({
  kind: 'APIResourceList',
  groupVersion,
  resources: resources.map((resource) => ({ singularName: '', verbs: ['get', 'list'], ...resource })),
})

function discoveryOf(path: string): object | undefined {
  if (path === '/api') return { kind: 'APIVersions', versions: ['v1'] }
  if (path === '/api/v1') return resourceList('v1', CORE)
  if (path === '/apis') {
    const groups = GROUPS.map(({ name }) => {
      const version = { groupVersion: `${name}/v1`, version: 'v1' }
      return { name, versions: [version], preferredVersion: version }
    })
    return { kind: 'APIGroupList', apiVersion: 'v1', groups }
  }
  const group = GROUPS.find(({ name }) => path === `/apis/${name}/v1`)
  return group && resourceList(`${group.name}/v1`, group.resources)
}

/** Starts a stand-in for an API server that kubectl can read from. Records each request that is not discovery. */
export async function startKubernetesApi(lists: ApiLists) {
  const requests: string[] = []
  const server = createServer(({ method, url }, response) => {
    const path = new URL(url ?? '/', 'http://localhost').pathname
    const discovery = discoveryOf(path)
    if (discovery === undefined) requests.push(`${method} ${path}`)
    const message = `${path} is forbidden`
    const refusal = { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'Forbidden', message, code: 403 }
    const body = discovery ?? lists[path] ?? refusal
    response.writeHead(body === refusal ? 403 : 200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(body))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, requests, close: () => server.close() }
}
