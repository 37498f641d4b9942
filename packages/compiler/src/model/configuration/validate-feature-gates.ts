import { describeValue } from '../reading/diagnostic-collector.js'
import { isFeatureGate, STAGE_GATES } from './feature-gates.js'
import { type Features, featureGateReleaseOf } from './features.js'
import type { Violation } from './violation.js'

/**
 * The feature gates of Kubernetes 1.30 and newer that have no effect on rules. The list contains the gates of every
 * component, because kube-proxy accepts all of them. The versions of each gate are not modelled.
 */
const OTHER_FEATURE_GATES: ReadonlySet<string> = new Set(
  `
  APIListChunking APIPriorityAndFairness APIResponseCompression APIServerIdentity APIServerTracing APIServingWithRoutine
  AdmissionWebhookMatchConditions AggregatedDiscoveryEndpoint AggregatedDiscoveryRemoveBetaType AllowDNSOnlyNodeCSR
  AllowInsecureKubeletCertificateSigningRequests AllowOverwriteTerminationGracePeriodSeconds
  AllowParsingUserUIDFromCertAuth AllowServiceLBStatusOnNonLB AllowUnsafeMalformedObjectDeletion
  AnonymousAuthConfigurableEndpoints AnyVolumeDataSource AppArmor AppArmorFields AuthorizeNodeWithSelectors
  AuthorizePodWebsocketUpgradeCreatePermission AuthorizeWithSelectors BtreeWatchCache CBORServingAndStorage
  CPUCFSQuotaPeriod CPUManager CPUManagerPolicyAlphaOptions CPUManagerPolicyBetaOptions CPUManagerPolicyOptions
  CRDObservedGenerationTracking CRDValidationRatcheting CSIMigrationPortworx CSIMigrationRBD CSINodeExpandSecret
  CSIServiceAccountTokenSecrets CSIVolumeHealth ChangeContainerStatusOnKubeletRestart
  ClearingNominatedNodeNameAfterBinding ClientsAllowCBOR ClientsPreferCBOR
  CloudControllerManagerWatchBasedRoutesReconciliation CloudControllerManagerWebhook CloudDualStackNodeIPs
  ClusterTrustBundle ClusterTrustBundleProjection ComponentFlagz ComponentSLIs ComponentStatusz
  ConcurrentWatchObjectDecode ConsistentHTTPGetHandlers ConsistentListFromCache ConstrainedImpersonation
  ContainerCheckpoint ContainerRestartRules ContainerStopSignals ContextualLogging CoordinatedLeaderElection
  CronJobsScheduledAnnotation CrossNamespaceVolumeDataSource CustomResourceFieldSelectors
  CustomResourceValidationExpressions DRAAdminAccess DRAConsumableCapacity DRAControlPlaneController
  DRADeviceBindingConditions DRADeviceTaintRules DRADeviceTaints DRAExtendedResource DRAPartitionableDevices
  DRAPrioritizedList DRAResourceClaimDeviceStatus DRASchedulerFilterTimeout DeclarativeValidation
  DeclarativeValidationTakeover DefaultHostNetworkHostPortsInPodTemplates DeploymentReplicaSetTerminatingReplicas
  DetectCacheInconsistency DevicePluginCDIDevices DisableAllocatorDualWrite DisableCPUQuotaWithExclusiveCPUs
  DisableCloudProviders DisableKubeletCloudCredentialProviders DisableNodeKubeProxyVersion DynamicResourceAllocation
  EfficientWatchResumption ElasticIndexedJob EnvFiles EventedPLEG ExecProbeTimeout ExternalServiceAccountTokenSigner
  GangScheduling GenericWorkload GitRepoVolumeDriver GracefulNodeShutdown GracefulNodeShutdownBasedOnPodPriority
  HPAConfigurableTolerance HPAContainerMetrics HPAScaleToZero HonorPVReclaimPolicy HostnameOverride ImageMaximumGCAge
  ImageVolume ImageVolumeWithDigest InPlacePodLevelResourcesVerticalScaling InPlacePodVerticalScaling
  InPlacePodVerticalScalingAllocatedStatus InPlacePodVerticalScalingExclusiveCPUs
  InPlacePodVerticalScalingExclusiveMemory InTreePluginPortworxUnregister InTreePluginRBDUnregister
  InformerResourceVersion JobBackoffLimitPerIndex JobManagedBy JobPodFailurePolicy JobPodReplacementPolicy
  JobSuccessPolicy KMSv1 KMSv2 KMSv2KDF KubeProxyDrainingTerminatingNodes
  KubeletCgroupDriverFromCRI KubeletCrashLoopBackOffMax KubeletEnsureSecretPulledImages KubeletFineGrainedAuthz
  KubeletInUserNamespace KubeletPSI KubeletPodResourcesDynamicResources KubeletPodResourcesGet
  KubeletPodResourcesListUseActivePods KubeletRegistrationGetOnExistsOnly KubeletSeparateDiskGC
  KubeletServiceAccountTokenForCredentialProviders KubeletTracing LegacyServiceAccountTokenCleanUp
  LegacySidecarContainers ListFromCacheSnapshot LocalStorageCapacityIsolationFSQuotaMonitoring LogarithmicScaleDown
  LoggingAlphaOptions LoggingBetaOptions MatchLabelKeysInPodAffinity MatchLabelKeysInPodTopologySpread
  MatchLabelKeysInPodTopologySpreadSelectorMerge MaxUnavailableStatefulSet MemoryManager MemoryQoS
  MinDomainsInPodTopologySpread MultiCIDRServiceAllocator MutableCSINodeAllocatableCount MutablePVNodeAffinity
  MutablePodResourcesForSuspendedJobs MutableSchedulingDirectivesForSuspendedJobs MutatingAdmissionPolicy
  NFTablesNetlink NewVolumeManagerReconstruction NodeDeclaredFeatures NodeInclusionPolicyInPodTopologySpread
  NodeLogQuery NodeOutOfServiceVolumeDetach NodeSwap NominatedNodeNameForExpectation OpenAPIEnums
  OpportunisticBatching OrderedNamespaceDeletion PDBUnhealthyPodEvictionPolicy
  PersistentVolumeLastPhaseTransitionTime PodAndContainerStatsFromCRI PodCertificateRequest PodDeletionCost
  PodDisruptionConditions PodHostIPs PodIndexLabel PodLevelResources PodLifecycleSleepAction
  PodLifecycleSleepActionAllowZero PodLogsQuerySplitStreams PodObservedGenerationTracking
  PodReadyToStartContainersCondition PodSchedulingReadiness PodTopologyLabelsAdmission PortForwardWebsockets
  PreventStaticPodAPIReferences ProcMountType QOSReserved RecoverVolumeExpansionFailure RecursiveReadOnlyMounts
  ReduceDefaultCrashLoopBackOffDecay RelaxedDNSSearchValidation RelaxedEnvironmentVariableValidation
  RelaxedServiceNameValidation ReloadKubeletServerCertificateFile RemainingItemCount RemoteRequestHeaderUID
  ResilientWatchCacheInitialization ResourceHealthStatus RestartAllContainersOnContainerExits RetryGenerateName
  RotateKubeletServerCertificate RuntimeClassInImageCriAPI SELinuxChangePolicy SELinuxMount
  SELinuxMountReadWriteOncePod SchedulerAsyncAPICalls SchedulerAsyncPreemption SchedulerPopFromBackoffQ
  SchedulerQueueingHints SeparateCacheWatchRPC SeparateTaintEvictionController ServerSideApply
  ServerSideFieldValidation ServiceAccountNodeAudienceRestriction ServiceAccountTokenJTI
  ServiceAccountTokenNodeBinding ServiceAccountTokenNodeBindingValidation ServiceAccountTokenPodNodeInfo
  ServiceNodePortStaticSubrange SidecarContainers SizeBasedListCostEstimate SizeMemoryBackedVolumes
  StableLoadBalancerNodeSet StatefulSetAutoDeletePVC StatefulSetSemanticRevisionComparison StatefulSetStartOrdinal
  StorageCapacityScoring StorageNamespaceIndex StorageVersionAPI StorageVersionHash StorageVersionMigrator
  StreamingCollectionEncodingToJSON StreamingCollectionEncodingToProtobuf StrictIPCIDRValidation
  StructuredAuthenticationConfiguration StructuredAuthenticationConfigurationEgressSelector
  StructuredAuthenticationConfigurationJWKSMetrics StructuredAuthorizationConfiguration SupplementalGroupsPolicy
  SystemdWatchdog TaintTolerationComparisonOperators TokenRequestServiceAccountUIDValidation
  TopologyManagerPolicyAlphaOptions TopologyManagerPolicyBetaOptions TopologyManagerPolicyOptions
  TranslateStreamCloseWebsocketRequests UnauthenticatedHTTP2DOSMitigation UnknownVersionInteroperabilityProxy
  UserNamespacesHostNetworkSupport UserNamespacesPodSecurityStandards UserNamespacesSupport
  ValidatingAdmissionPolicy VolumeAttributesClass VolumeCapacityPriority VolumeLimitScaling
  WatchCacheInitializationPostStartHook WatchFromStorageWithoutResourceVersion WatchList WatchListClient WinDSR
  WinOverlay WindowsCPUAndMemoryAffinity WindowsGracefulNodeShutdown WindowsHostNetwork
  ZeroLimitedNominalConcurrencyShares
  `
    .trim()
    .split(/\s+/),
)

/**
 * Reports unknown gates and disabled stable gates. Unknown gates are reported only if the gates of the version are
 * known. Mirrors `featureGate.SetFromMap`.
 */
export function checkFeatureGates(
  gates: ReadonlyMap<string, boolean>,
  version: string,
  { featureGatesKnown }: Features,
): readonly Violation[] {
  return Array.from(gates, ([name, enabled]) => ({
    path: `featureGates.${name}`,
    field: 'featureGates',
    value: String(enabled),
    problem: (featureGatesKnown ? unknownGate(name, version) : undefined) ?? lockedGate(name, enabled, version),
  })).filter(isViolation)
}

function unknownGate(name: string, version: string): string | undefined {
  const ofStage = name === STAGE_GATES.alpha || name === STAGE_GATES.beta
  if (ofStage || OTHER_FEATURE_GATES.has(name)) return undefined
  const release = isFeatureGate(name) ? featureGateReleaseOf(name, version) : undefined
  const isUnknown = release === undefined || release.stage === 'removed'
  return isUnknown ? `unrecognized feature gate: ${describeValue(name)}` : undefined
}

function lockedGate(name: string, enabled: boolean, version: string): string | undefined {
  if (enabled || !isFeatureGate(name) || featureGateReleaseOf(name, version)?.stage !== 'stable') return undefined
  return `cannot set feature gate ${name} to false, feature is locked to true`
}

function isViolation(
  gateProblem: Omit<Violation, 'problem'> & { readonly problem: string | undefined },
): gateProblem is Violation {
  return gateProblem.problem !== undefined
}
