import { DEFAULT_REQUEST, type PlaygroundRequest } from '../src/question/playground-request.js'

/** An example of the gallery. */
export interface Example {
  /** The name of its folder. */
  readonly name: string
  readonly group: 'clusters' | 'troubleshooting'
  readonly title: string
  /** One or two sentences; for a story the symptom. */
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
    ...fixtures.map(
      ({ name, files }): Example => ({
        name,
        group: 'clusters',
        title: titleOf(name),
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
        question: questionOfStory(required(files.question, name), files),
      }),
    ),
  ]
}

/** An interesting packet for each fixture. */
const PACKETS: Readonly<Record<string, string>> = {
  'dual-stack': 'from outside → 203.0.113.10:80',
  'every-frontend': 'from outside → node:3001',
  'listing-portals': 'from pod → 10.152.183.10:53/udp',
  'seed-apiserver': 'from pod → 10.254.0.1:443',
  'seed-ngx-nodeport': 'from outside → node:30080',
  'seed-saythx-redis': 'from pod → work/saythx-redis',
}

/** The node that the host description of a fixture is of. */
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

/** Converts a story's command line to fields of the page. */
function questionOfStory(line: string, files: Files): PlaygroundRequest {
  const words = line.trim().split(/\s+/).slice(1)
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

/** Formats a title: `seed-ngx-nodeport` becomes `Seed ngx nodeport`. */
function titleOf(name: string): string {
  const words = name.replaceAll('-', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

function required(value: string | undefined, name: string): string {
  if (value === undefined) throw new Error(`${name}: something is missing that an example needs`)
  return value
}
