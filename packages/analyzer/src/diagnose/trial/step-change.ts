import type { TableName } from '@kube-rules/compiler/internal/dataplane/iptables/ast'
import type { ProxyMode } from '@kube-rules/compiler/internal/targets/modes'
import type { Protocol } from '@kube-rules/types'

/** A change that a step makes to the rules of the node or to objects. */
export type StepChange =
  /** `iptables -I` or, without a position, `-A`: a rule of a built-in chain. */
  | {
      readonly kind: 'insertRule'
      /** The table. */
      readonly table: TableName
      /** The built-in chain. */
      readonly chain: string
      /** The position of the rule, from 1; absent for the end of the chain. */
      readonly position?: number | undefined
      /** The rule in iptables-save format: `-A FORWARD -d 10.244.1.5 -p tcp --dport 80 -j ACCEPT`. */
      readonly rule: string
    }
  /** kube-proxy, or the script of `verify`, writes the rules of kube-proxy again. */
  | { readonly kind: 'rewriteRules' }
  /** `ipset add`: one more entry of a set. */
  | {
      readonly kind: 'addSetEntry'
      /** The name of the set. */
      readonly set: string
      /** The entry: `10.244.1.5,tcp:8080,10.244.1.5`. */
      readonly entry: string
    }
  /** `ipvsadm -e`: another weight of a real server. */
  | {
      readonly kind: 'setServerWeight'
      /** The protocol of the virtual server. */
      readonly protocol: Protocol
      /** The address and port of the virtual server. */
      readonly virtualServer: string
      /** The address and port of the real server. */
      readonly realServer: string
      /** The new weight. */
      readonly weight: number
    }
  /** `kubectl patch svc`: the fields of `spec` replace those of the Service; null removes a field. */
  | {
      readonly kind: 'patchService'
      /** The namespace of the Service. */
      readonly namespace: string
      /** The name of the Service. */
      readonly name: string
      /** The new values of fields. */
      readonly spec: Readonly<Record<string, unknown>>
    }
  /** `kubectl edit svc`: the Service no longer has an external IP. */
  | {
      readonly kind: 'removeExternalIP'
      /** The namespace of the Service. */
      readonly namespace: string
      /** The name of the Service. */
      readonly name: string
      /** The removed address. */
      readonly address: string
    }
  /** `kubectl edit svc`: a port of the Service gets another name, also in its EndpointSlices. */
  | {
      readonly kind: 'renamePort'
      /** The namespace of the Service. */
      readonly namespace: string
      /** The name of the Service. */
      readonly name: string
      /** The previous name of the port; empty if it has none. */
      readonly from: string
      /** The new name. */
      readonly to: string
    }
  /** Another version or mode of kube-proxy. */
  | {
      readonly kind: 'changeProxy'
      /** The new mode; absent if it stays. */
      readonly mode?: ProxyMode | undefined
      /** The new version; absent if it stays. */
      readonly version?: string | undefined
    }
  /** `kubectl edit endpointslice`: an EndpointSlice no longer lists an address. */
  | {
      readonly kind: 'removeEndpoint'
      /** The namespace of the EndpointSlice. */
      readonly namespace: string
      /** The name of the EndpointSlice. */
      readonly slice: string
      /** The removed address. */
      readonly address: string
    }
  /** `kubectl delete pod`: its endpoints disappear. */
  | {
      readonly kind: 'deletePod'
      /** The namespace of the pod. */
      readonly namespace: string
      /** The name of the pod. */
      readonly name: string
    }
  /** Clients send their packets to another address. */
  | {
      readonly kind: 'useAddress'
      /** The address. */
      readonly address: string
      /** The port. */
      readonly port: number
    }
