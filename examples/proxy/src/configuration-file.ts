import { readFileSync } from 'node:fs'
import type { KubeProxyConfiguration } from '@kube-rules/compiler'
import { type EffectiveConfiguration, writeConfiguration } from '@kube-rules/proxy-kit'
import { dump, load } from 'js-yaml'
import { textOf } from './log.js'

export interface ConfigurationFile {
  readonly configuration: KubeProxyConfiguration
  /** Problems that kube-proxy only logs. */
  readonly warnings: readonly string[]
}

/** Reads a KubeProxyConfiguration, or the ConfigMap of kubeadm that has one under `config.conf`. */
export function readConfigurationFile(path: string): ConfigurationFile {
  try {
    const warnings: string[] = []
    const warn = (text: string) => warnings.push(`${path}: ${text}`)
    const document = loadLeniently(readFileSync(path, 'utf8'), warn) as
      | { kind?: string; data?: Readonly<Record<string, string>> }
      | undefined
    const isConfigMap = document?.kind === 'ConfigMap'
    const found = isConfigMap ? loadLeniently(document.data?.['config.conf'] ?? '', warn) : document
    if ((found as { kind?: string } | undefined)?.kind !== 'KubeProxyConfiguration') {
      throw new Error('no KubeProxyConfiguration')
    }
    return { configuration: found as KubeProxyConfiguration, warnings }
  } catch (error) {
    throw new Error(`${path}: ${textOf(error)}`)
  }
}

/** Parses YAML. Like kube-proxy, accepts a key that occurs twice, and uses the last value. */
function loadLeniently(text: string, warn: (text: string) => void): unknown {
  try {
    return load(text)
  } catch (error) {
    const document = load(text, { json: true })
    warn(`${textOf(error)}; the last value counts`)
    return document
  }
}

/** Returns the text of a file with all fields, as `--write-config-to` writes it. */
export function formatConfigurationFile({ complete, unused }: WrittenSettings): string {
  return dump({ ...writeConfiguration(complete), ...unused })
}

/** The settings that a file contains. */
export interface WrittenSettings {
  /** The configuration with its defaults. */
  readonly complete: EffectiveConfiguration
  /** The fields of a file that this program does not use. */
  readonly unused: { readonly windowsRunAsService?: unknown }
}
