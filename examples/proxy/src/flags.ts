import { type ParseArgsConfig, parseArgs } from 'node:util'
import { versionsOf } from '@kube-rules/compiler'
import { type ConfigurationFlagKind, configurationFlags, flagsOverFile } from '@kube-rules/proxy-kit'

/** The flags of kube-proxy that set no field of the configuration. kube-proxy does not have `--kubernetes-version`. */
const OTHER_FLAGS: Readonly<Record<string, ConfigurationFlagKind>> = {
  ...{ config: 'text', 'write-config-to': 'text', master: 'text' },
  ...{ 'log-json-split-stream': 'boolean', 'log-json-info-buffer-size': 'text' },
  ...{ 'log-text-split-stream': 'boolean', 'log-text-info-buffer-size': 'text' },
  ...{ 'boot-id-file': 'text', 'machine-id-file': 'text' },
  ...{ cleanup: 'boolean', 'init-only': 'boolean', 'kubernetes-version': 'text' },
  ...{ help: 'boolean', version: 'text' },
}

const FLAGS: Readonly<Record<string, ConfigurationFlagKind>> = { ...configurationFlags, ...OTHER_FLAGS }

/** The flags that this program accepts, but which have no meaning in it. */
const UNUSED = [
  ...['vmodule', 'log-flush-frequency', 'profiling', 'show-hidden-metrics-for-version'],
  ...['log-json-split-stream', 'log-json-info-buffer-size', 'log-text-split-stream', 'log-text-info-buffer-size'],
  ...['kube-api-content-type', 'kube-api-qps', 'kube-api-burst', 'boot-id-file', 'machine-id-file'],
]

/** The flags that need no value. `--cleanup` means `--cleanup=true`, as in kube-proxy. */
const isSwitch = (name: string) => FLAGS[name] === 'boolean' || name === 'version'

/** An error in the flags or the configuration; `message` has one line for each problem. */
export class SettingsError extends Error {}

export type FlagValues = Readonly<Record<string, string | undefined>>

/** Reads the arguments. As in kube-proxy, a repeated flag adds to its list, and otherwise replaces the value. */
export function readFlags(args: readonly string[]): FlagValues {
  const option = { type: 'string', multiple: true } as const
  const options = Object.fromEntries(Object.keys(FLAGS).map((name) => [name, option]))
  const given = args
    .map((word) => word.replace(/^-v(?==|$)/, '--v').replace(/^-h$/, '--help'))
    .map((word) => (word.startsWith('--') && isSwitch(word.slice(2)) ? `${word}=true` : word))
  const values = parseGiven(given, options)
  return Object.fromEntries(
    Object.entries(values).map(([name, all]) => {
      return [name, ['list', 'gates', 'levels'].includes(`${FLAGS[name]}`) ? all.join(',') : all.at(-1)]
    }),
  )
}

function parseGiven(args: readonly string[], options: NonNullable<ParseArgsConfig['options']>) {
  try {
    return parseArgs({ args, options }).values as Readonly<Record<string, string[]>>
  } catch (error) {
    throw new SettingsError((error as Error).message)
  }
}

/** Returns the flags without effect, because a configuration file has precedence, or because this program does not use them. */
export function listIgnoredFlags(values: FlagValues): readonly string[] {
  const isReplaced = (name: string) => name in configurationFlags && !flagsOverFile.includes(name)
  const isIgnored = (name: string) => UNUSED.includes(name) || (values.config !== undefined && isReplaced(name))
  return Object.keys(values).flatMap((name) => (isIgnored(name) ? [`--${name}`] : []))
}

/** Returns the text of `--help` or `--version`; undefined if the arguments contain neither. */
export function informationFor(args: readonly string[]): string | undefined {
  const { help = 'false', version = 'false' } = readFlags(args)
  if (help !== 'false') return helpText()
  return version === 'false' ? undefined : `kube-rules-proxy, emulates kube-proxy ${versionRange()}\n`
}

function versionRange(): string {
  const versions = versionsOf('iptables')
  return `v${versions[0]} to v${versions.at(-1)}`
}

const FORMS: Readonly<Record<ConfigurationFlagKind, string>> = {
  text: 'TEXT',
  number: 'NUMBER',
  decimal: 'NUMBER',
  boolean: 'true|false',
  list: 'ITEM,ITEM',
  gates: 'NAME=true|false,…',
  levels: 'PATTERN=NUMBER,…',
}

function helpText(): string {
  const list = (names: readonly string[]) =>
    names.map((name) => `  --${name}${isSwitch(name) ? '' : `=${FORMS[FLAGS[name] ?? 'text']}`}\n`).join('')
  const used = Object.keys(FLAGS).filter((name) => !UNUSED.includes(name))
  return [
    'Programs the Service rules of this node in place of kube-proxy.\n',
    `Flags, with the meaning that they have in kube-proxy:\n${list(used.sort())}`,
    `Flags without effect in this program:\n${list([...UNUSED].sort())}`,
    '--kubernetes-version is the version of kube-proxy to emulate. Default: the version of the Node.',
    'With --config, the flags for fields of the configuration have no effect.\n',
  ].join('\n')
}
