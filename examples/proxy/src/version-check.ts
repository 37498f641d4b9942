import type { Node } from '@kube-rules/compiler'
import { findNodeVersion } from '@kube-rules/compiler/plan'
import { completeConfiguration } from '@kube-rules/proxy-kit'
import type { Settings } from './configuration.js'
import { type Logger, textOf } from './log.js'

export interface VersionCheckOptions
  extends Pick<Settings, 'configuration' | 'mode' | 'nodeName' | 'kubernetesVersion'> {
  readonly log: Logger
  readonly fail: (reason: string) => void
}

/** Ends the program if kube-proxy of the version of the Node would reject the configuration. */
export function createVersionCheck({ configuration, mode, nodeName, log, fail, ...options }: VersionCheckOptions) {
  let checked: string | undefined
  let isRejected = false
  return {
    /** Checks the version of the Node, unless the flags name a version: the start has checked that one. */
    setNode: (node: Node): void => {
      if (options.kubernetesVersion !== undefined) return
      const kubernetesVersion = findNodeVersion([node], nodeName, undefined, mode)?.version
      if (kubernetesVersion === undefined || kubernetesVersion === checked) return
      checked = kubernetesVersion
      try {
        completeConfiguration(configuration, { mode, kubernetesVersion })
      } catch (error) {
        isRejected = true
        log.error('the configuration is invalid', { version: kubernetesVersion, error: textOf(error) })
        fail(`kube-proxy ${kubernetesVersion} rejects the configuration`)
      }
    },
    /** Returns the last version that was checked. */
    version: () => checked,
    isRejected: () => isRejected,
  }
}
