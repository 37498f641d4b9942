import { DEFAULT_REQUEST, type PlaygroundRequest } from '../src/question/playground-request.js'

/** An example of the gallery. */
export interface Example {
  /** The name of its folder. */
  readonly name: string
  readonly group: 'clusters' | 'troubleshooting'
  readonly title: string
  /** One or two sentences; for a troubleshooting case, its symptom. */
  readonly text: string
  readonly question: PlaygroundRequest
}

/** Texts by file name. */
export type Files = Readonly<Record<string, string>>

interface Folder {
  readonly name: string
  readonly files: Files
}

interface Folders {
  readonly fixtures: readonly Folder[]
  readonly cases: readonly Folder[]
  /** The README of the fixtures; its first table describes each of them. */
  readonly descriptions: string
}

/**
 * Builds the examples from a repository's fixtures and cases.
 *
 * @throws for a folder with missing data.
 */
export function examplesOf({ fixtures, cases, descriptions }: Folders): readonly Example[] {
  return [
    FIRST_EXAMPLE,
    ...fixtures.map(
      ({ name, files }): Example => ({
        name,
        group: 'clusters',
        title: required(TITLES[name], name),
        text: required(new RegExp(`^\\| \`${name}\` \\| (.*) \\|$`, 'm').exec(descriptions)?.[1], name),
        question: questionOfFixture(name, files),
      }),
    ),
    ...cases.map(
      ({ name, files }): Example => ({
        name,
        group: 'troubleshooting',
        title: required(/^# (.*)$/m.exec(files['README.md'] ?? '')?.[1], name),
        text: required(/\*\*Symptom\.\*\* ([\s\S]*?)\n\n/.exec(files['README.md'] ?? '')?.[1], name).replaceAll(
          '\n',
          ' ',
        ),
        question: requestOfCase(required(files.question, name), files),
      }),
    ),
  ]
}

/** The example of a page without a link; it is short enough to read completely. */
const FIRST_EXAMPLE: Example = {
  name: 'node-port',
  group: 'clusters',
  title: 'A node port',
  text: 'One Service with two pods on two nodes. Change `externalTrafficPolicy` to `Local`, or scale the Service, and see what becomes of the packet.',
  question: {
    ...DEFAULT_REQUEST,
    objects: `# The node to see the rules of.
apiVersion: v1
kind: Node
metadata: { name: node-1 }
spec: { podCIDR: 10.244.1.0/24 }
status: { addresses: [{ type: InternalIP, address: 192.168.0.11 }] }
---
apiVersion: v1
kind: Service
metadata: { namespace: shop, name: web }
spec:
  type: NodePort
  clusterIP: 10.96.0.10
  externalTrafficPolicy: Cluster
  selector: { app: web }
  ports:
    - name: http
      port: 80
      targetPort: 8080
      nodePort: 30080
---
# Kubernetes creates the slices of a Service from its pods.
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata:
  namespace: shop
  name: web-x7k2p
  labels: { kubernetes.io/service-name: web }
addressType: IPv4
ports: [{ name: http, port: 8080 }]
endpoints:
  - addresses: [10.244.1.5]
    nodeName: node-1
  - addresses: [10.244.2.7]
    nodeName: node-2
---
apiVersion: kubeproxy.config.k8s.io/v1alpha1
kind: KubeProxyConfiguration
clusterCIDR: 10.244.0.0/16
`,
    packet: 'from outside → node:30080',
  },
}

const TITLES: Readonly<Record<string, string>> = {
  'dual-stack': 'IPv4 and IPv6',
  'every-frontend': 'Every kind of Service address',
  'listing-portals': 'The listing of an article: Kubernetes 1.1, userspace mode',
  'listing-redis': 'The listing of an article: Kubernetes 1.18',
  'older-versions': 'Services for every version of kube-proxy',
  'seed-apiserver': 'The Service of the API server',
  'seed-ngx-nodeport': 'A node port of a real cluster',
  'seed-saythx-redis': 'A Redis Service that is scaled up',
}

/** The initial packet for each fixture. */
const PACKETS: Readonly<Record<string, string>> = {
  'dual-stack': 'from outside → 203.0.113.10:80',
  'every-frontend': 'from outside → node:3001',
  'listing-portals': 'from pod → 10.152.183.10:53/udp',
  'seed-apiserver': 'from pod → 10.254.0.1:443',
  'seed-ngx-nodeport': 'from outside → node:30080',
  'seed-saythx-redis': 'from pod → work/saythx-redis',
}

/** The node that the host description of a fixture belongs to. */
const NODES: Readonly<Record<string, string>> = {
  'dual-stack': 'node-1',
  'listing-portals': 'juju-node',
  'listing-redis': 'node01',
  'seed-apiserver': 'zhangjun-k8s01',
  'seed-ngx-nodeport': 'master01.k8s.org',
  'seed-saythx-redis': 'node01',
}

function questionOfFixture(name: string, files: Files): PlaygroundRequest {
  const scaled = files['cluster-scaled.yaml']
  const cluster = required(files['cluster.yaml'], name)
  return {
    ...DEFAULT_REQUEST,
    objects: scaled ?? cluster,
    before: scaled === undefined ? '' : cluster,
    host: files['host.yaml'] ?? '',
    hostNode: NODES[name] ?? '',
    packet: PACKETS[name] ?? '',
  }
}

/** Converts the first command line of a troubleshooting case to fields of the page. */
export function requestOfCase(lines: string, files: Files): PlaygroundRequest {
  const [line = ''] = lines.trim().split('\n')
  const words = line.split(/\s+/).slice(1)
  const [command = '', ...rest] = words
  const valuesOf = (option: string) => rest.flatMap((word, at) => (word === option ? [rest[at + 1] ?? ''] : []))
  const [version = ''] = valuesOf('--kubernetes-version')
  const [node = ''] = valuesOf('--node')
  const [from = 'pod'] = valuesOf('--from')
  const dump = valuesOf('--dump')
    .map((file) => required(files[file], file))
    .join('\n')
  const operands = rest.filter((word, at) => !word.startsWith('-') && !takesValue(rest[at - 1]))
  const [objectsFile = operands[1] ?? ''] = valuesOf('-f')
  const before = command === 'diff' ? required(files[operands[0] ?? ''], line) : (files['before.yaml'] ?? '')
  return {
    ...DEFAULT_REQUEST,
    objects: required(files[objectsFile], line),
    before,
    host: files[valuesOf('--host')[0] ?? ''] ?? '',
    dump,
    version,
    node,
    established: rest.includes('--established'),
    namespace: valuesOf('--namespace')[0] ?? '',
    packet: command === 'explain' ? `from ${from} → ${operands[0]}` : '',
    through: command === 'explain' && dump !== '' ? 'dump' : 'rules',
    pane: dump !== '' ? 'dump' : before !== '' ? 'change' : 'rules',
  }
}

function takesValue(word: string | undefined): boolean {
  return word?.startsWith('-') === true && !['--established', '--all'].includes(word)
}

function required(value: string | undefined, name: string): string {
  if (value === undefined) throw new Error(`${name}: something is missing that an example needs`)
  return value
}
