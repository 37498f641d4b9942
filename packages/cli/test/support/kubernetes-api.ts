import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type ExecHandler, serveExec } from './exec-server.js'

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
  resources: resources.map((resource) => ({
    singularName: '',
    verbs: ['get', 'list', 'create', 'delete'],
    ...resource,
  })),
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

export interface ApiOptions {
  /** Runs the commands of `kubectl exec`. */
  readonly exec?: ExecHandler
  /** Reports whether a request is permitted. Default: every request. */
  readonly allows?: (request: ApiRequest) => boolean
}

/** The attributes of a request that RBAC decides about. */
export interface ApiRequest {
  readonly verb: string
  readonly group: string
  /** With its subresource: `pods/exec`. */
  readonly resource: string
  readonly name: string | undefined
  readonly namespace: string | undefined
}

/** Returns the attributes of a request, as the API server derives them from the method and the path. */
export function toApiRequest(method: string, path: string): ApiRequest {
  const [root, ...words] = path.split('/').slice(1)
  const group = root === 'api' ? '' : (words[0] ?? '')
  const rest = words.slice(root === 'api' ? 1 : 2)
  const isNamespaced = rest[0] === 'namespaces'
  const [resource = '', name, subresource] = isNamespaced ? rest.slice(2) : rest
  const read = name === undefined ? 'list' : 'get'
  return {
    verb: method === 'GET' ? read : method === 'POST' ? 'create' : method.toLowerCase(),
    group,
    resource: subresource === undefined ? resource : `${resource}/${subresource}`,
    name,
    namespace: isNamespaced ? rest[1] : undefined,
  }
}

/**
 * Starts a stand-in for an API server that kubectl can read from, and in which it can create and delete Pods, and run
 * commands. Records each request that is not discovery.
 */
export async function startKubernetesApi(lists: ApiLists, { exec, allows = () => true }: ApiOptions = {}) {
  const requests: string[] = []
  const created = new Map<string, object>()
  const answer = (method: string, path: string, body: string): readonly [number, object] => {
    const discovery = discoveryOf(path)
    if (discovery !== undefined) return [200, discovery]
    requests.push(`${method} ${path}`)
    if (path !== '/version' && !allows(toApiRequest(method, path)))
      return [403, refuse(`${method} ${path} is forbidden`)]
    const found = lists[path] ?? created.get(path)
    if (found !== undefined && method === 'GET') return [200, found]
    if (method === 'POST' && lists[path] !== undefined && exec !== undefined) {
      // kubectl sends protobuf.
      const name = /node-debugger-[a-z0-9-]+/.exec(body)?.[0] ?? 'unnamed'
      const pod = {
        ...{
          kind: 'Pod',
          apiVersion: 'v1',
          metadata: { name, namespace: 'kube-system' },
          status: { phase: 'Running' },
        },
        spec: { containers: [{ name: 'debugger', image: 'image' }] },
      }
      created.set(`${path}/${name}`, pod)
      return [201, pod]
    }
    if (method === 'DELETE' && created.delete(path))
      return [200, { kind: 'Status', apiVersion: 'v1', status: 'Success' }]
    return [403, refuse(`${path} is forbidden`)]
  }
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk) => chunks.push(chunk))
    request.on('end', () => {
      const path = new URL(request.url ?? '/', 'http://localhost').pathname
      const [code, body] = answer(request.method ?? '', path, Buffer.concat(chunks).toString('latin1'))
      response.writeHead(code, { 'content-type': 'application/json' })
      response.end(JSON.stringify(body))
    })
  })
  server.on('upgrade', (request, socket) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost')
    requests.push(`${request.method} ${pathname}`)
    if (exec === undefined || !allows(toApiRequest(request.method ?? '', pathname)))
      socket.end('HTTP/1.1 403 Forbidden\r\n\r\n')
    else serveExec(request, socket, exec)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, requests, created, close: () => server.close() }
}

function refuse(message: string): object {
  return { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'Forbidden', message, code: 403 }
}
