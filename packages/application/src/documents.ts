import type { Comparison, Proof, ReachabilityRow, VerifyReport } from '@kube-rules/analyzer'
import type { Diagnosis } from '@kube-rules/analyzer/explain'
import type { FamilyResult, ProxyMode, ResultPatch, ToolCommand } from '@kube-rules/compiler'
import type { HostRequirements } from '@kube-rules/compiler/plan'
import type { Diagnostic, IpFamily } from '@kube-rules/types'
import type { AssumedValue } from '@kube-rules/types/manifests'
import type { UnservedService } from './compare/unserved-services.js'
import type { DoctorReport, UnreadNode } from './doctor/causes.js'
import type { NodeDiagnostic } from './doctor/node-diagnostics.js'
import type { DiagnosedPacket } from './explain/diagnosed-packet.js'

// The JSON documents that the command prints. `pnpm schemas` generates their JSON Schemas from these types.

/** The fields of every document. */
interface Document<Kind extends string> {
  /** The version of the format. Fields may be added within a version. */
  readonly schemaVersion: 1
  /** The kind of the document, which is also the name of its schema: `print` has `print.schema.json`. */
  readonly kind: Kind
  /** All diagnostics of the input, of every severity. */
  readonly diagnostics: readonly Diagnostic[]
}

/** A document about one set of objects. */
interface ClusterDocument<Kind extends string> extends Document<Kind> {
  /** Values that are not in the input and were assumed. */
  readonly assumed: readonly AssumedValue[]
}

/** The document of `kube-rules print`. */
export interface PrintDocument extends ClusterDocument<'print'> {
  /** The proxy mode. */
  readonly mode: ProxyMode
  /** The version of kube-proxy. */
  readonly kubernetesVersion: string
  readonly families: readonly PrintedFamily[]
}

/** The rules of one address family. In ipvs mode, also the kernel settings that these rules require. */
export interface PrintedFamily extends Pick<FamilyResult, 'family' | 'healthCheckNodePorts' | 'counts'> {
  /** The sysctls, in the order that kube-proxy sets them. */
  readonly sysctls?: HostRequirements['sysctls'] | undefined
  /** The kernel modules, such as `ip_vs`. */
  readonly kernelModules?: HostRequirements['kernelModules'] | undefined
  /** The IPVS timeouts. Absent if kube-proxy keeps the timeouts of the kernel. */
  readonly timeouts?: HostRequirements['timeouts'] | undefined
  /** The rules in the requested format. */
  readonly text: string
  /** The text of each subsystem. Only present in ipvs mode. */
  readonly subsystems?: Readonly<Record<string, string>> | undefined
}

/** The document of `kube-rules diff`. */
export interface DiffDocument extends ClusterDocument<'diff'> {
  /** The changes of resources. */
  readonly patch: ResultPatch
  /** The commands that apply the changes, in order. */
  readonly commands: readonly ToolCommand[]
  readonly diagnostics: readonly DiffDiagnostic[]
}

/** A diagnostic of one of the two inputs. */
export interface DiffDiagnostic extends Diagnostic {
  readonly input: 'old' | 'new'
}

/** The document of `kube-rules verify`. */
export interface VerifyDocument extends Document<'verify'>, VerifyReport {
  /** Diagnoses of the node as a whole. */
  readonly diagnoses: readonly Diagnosis[]
}

/** The document of `kube-rules explain`. */
export interface ExplainDocument extends ClusterDocument<'explain'> {
  readonly explanations: readonly DiagnosedPacket[]
}

/** The document of `kube-rules explain --all`. */
export interface ReachabilityDocument extends ClusterDocument<'reachability'> {
  readonly frontends: readonly ReachabilityRow[]
}

/** The document of `kube-rules doctor`. */
export interface DoctorDocument extends ClusterDocument<'doctor'>, DoctorReport {
  /** The nodes that were not checked. */
  readonly unread: readonly UnreadNode[]
  /** The subdirectories with manifests that were not read. */
  readonly notRead: readonly string[]
  /** The diagnostics of the objects and of all checked nodes, of every severity. */
  readonly diagnostics: readonly NodeDiagnostic[]
}

/** The document of `kube-rules compare` and of `kube-rules diff --traffic`. */
export interface CompareDocument extends ClusterDocument<'compare'> {
  /** The names of the two sides. */
  readonly sides: readonly [string, string]
  readonly families: readonly ComparedFamilyDocument[]
  /** Services that are not compared. */
  readonly notCompared: readonly UnservedService[]
  /** The subdirectories with manifests that were not read. */
  readonly notRead: readonly string[]
}

/** The comparison of one address family. */
export interface ComparedFamilyDocument extends Comparison {
  readonly family: IpFamily
}

/** The document of `kube-rules prove`. */
export interface ProveDocument extends ClusterDocument<'prove'> {
  /** The subdirectories with manifests that were not read. */
  readonly notRead: readonly string[]
  /** The proxy mode. */
  readonly mode: ProxyMode
  /** The version of kube-proxy. */
  readonly kubernetesVersion: string
  readonly families: readonly ProofDocument[]
}

type Difference = Comparison['differences'][number]

/** The proof of one address family. */
export interface ProofDocument extends Omit<Proof, 'counterexamples' | 'inconclusive'> {
  readonly counterexamples: readonly ProofFinding[]
  readonly inconclusive: readonly ProofFinding[]
}

/** Packets, with their outcomes according to the rules and according to the plan. */
export interface ProofFinding extends Pick<Difference, 'packet' | 'condition' | 'classes' | 'services'> {
  readonly rules: ProofSide
  readonly plan: ProofSide
}

/** The outcomes according to the rules or according to the plan. */
export type ProofSide = Pick<Difference['a'], 'outcomes' | 'affinitySeconds'>

/** A document of the command with `-o json`. Its `kind` determines its other fields. */
export type JsonDocument =
  | PrintDocument
  | DiffDocument
  | VerifyDocument
  | ExplainDocument
  | ReachabilityDocument
  | DoctorDocument
  | CompareDocument
  | ProveDocument
