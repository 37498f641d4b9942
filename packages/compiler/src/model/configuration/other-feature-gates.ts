import { isVersionAtLeast } from './versions.js'

/** Feature gates that can no longer be changed since a release. */
interface GateLock {
  readonly since: string
  /** The only value that kube-proxy accepts. */
  readonly enabled: boolean
  readonly names: ReadonlySet<string>
}

/** Reports whether a version has a feature gate without effect on rules. */
export function isOtherFeatureGate(name: string, version: string): boolean {
  const isKnown = OTHER_FEATURE_GATES.some(({ since, names }) => names.has(name) && isVersionAtLeast(version, since))
  return isKnown && !(REMOVED_GATES.has(name) && isVersionAtLeast(version, REMOVED_SINCE))
}

/** Returns the only value that a version accepts for a feature gate without effect on rules; undefined if both. */
export function lockedValueOf(name: string, version: string): boolean | undefined {
  return LOCKS.find(({ since, names }) => names.has(name) && isVersionAtLeast(version, since))?.enabled
}

/**
 * The feature gates of Kubernetes 1.30 and newer that have no effect on rules, by their first version. The lists contain
 * the gates of every component, because kube-proxy accepts all of them. The first versions before 1.36 are not
 * modelled: the gates of 1.35 count from 1.30 on.
 */
const OTHER_FEATURE_GATES: readonly { readonly since: string; readonly names: ReadonlySet<string> }[] = [
  {
    since: '1.30',
    names: namesIn(`
      APIListChunking APIPriorityAndFairness APIResponseCompression APIServerIdentity APIServerTracing
      APIServingWithRoutine AdmissionWebhookMatchConditions AggregatedDiscoveryEndpoint
      AggregatedDiscoveryRemoveBetaType AllowDNSOnlyNodeCSR AllowInsecureKubeletCertificateSigningRequests
      AllowOverwriteTerminationGracePeriodSeconds AllowParsingUserUIDFromCertAuth AllowServiceLBStatusOnNonLB
      AllowUnsafeMalformedObjectDeletion AnonymousAuthConfigurableEndpoints AnyVolumeDataSource AppArmor
      AppArmorFields AuthorizeNodeWithSelectors AuthorizePodWebsocketUpgradeCreatePermission
      AuthorizeWithSelectors BtreeWatchCache CBORServingAndStorage CPUManager CPUManagerPolicyAlphaOptions
      CPUManagerPolicyBetaOptions CPUManagerPolicyOptions CRDObservedGenerationTracking CRDValidationRatcheting
      CSIMigrationPortworx CSIMigrationRBD CSINodeExpandSecret CSIServiceAccountTokenSecrets CSIVolumeHealth
      ChangeContainerStatusOnKubeletRestart ClearingNominatedNodeNameAfterBinding ClientsAllowCBOR
      ClientsPreferCBOR CloudControllerManagerWatchBasedRoutesReconciliation CloudControllerManagerWebhook
      CloudDualStackNodeIPs ClusterTrustBundle ClusterTrustBundleProjection ComponentFlagz ComponentSLIs
      ComponentStatusz ConcurrentWatchObjectDecode ConsistentHTTPGetHandlers ConsistentListFromCache
      ConstrainedImpersonation ContainerCheckpoint ContainerRestartRules ContainerStopSignals ContextualLogging
      CoordinatedLeaderElection CronJobsScheduledAnnotation CrossNamespaceVolumeDataSource CustomCPUCFSQuotaPeriod
      CustomResourceFieldSelectors CustomResourceValidationExpressions DRAAdminAccess DRAConsumableCapacity
      DRAControlPlaneController DRADeviceBindingConditions DRADeviceTaintRules DRADeviceTaints DRAExtendedResource
      DRAPartitionableDevices DRAPrioritizedList DRAResourceClaimDeviceStatus DRASchedulerFilterTimeout
      DeclarativeValidation DeclarativeValidationTakeover DefaultHostNetworkHostPortsInPodTemplates
      DeploymentReplicaSetTerminatingReplicas DetectCacheInconsistency DevicePluginCDIDevices
      DisableAllocatorDualWrite DisableCPUQuotaWithExclusiveCPUs DisableCloudProviders
      DisableKubeletCloudCredentialProviders DisableNodeKubeProxyVersion DynamicResourceAllocation
      EfficientWatchResumption ElasticIndexedJob EnvFiles EventedPLEG ExecProbeTimeout
      ExternalServiceAccountTokenSigner GangScheduling GenericWorkload GitRepoVolumeDriver GracefulNodeShutdown
      GracefulNodeShutdownBasedOnPodPriority HPAConfigurableTolerance HPAContainerMetrics HPAScaleToZero
      HonorPVReclaimPolicy HostnameOverride ImageMaximumGCAge ImageVolume ImageVolumeWithDigest
      InPlacePodLevelResourcesVerticalScaling InPlacePodVerticalScaling InPlacePodVerticalScalingAllocatedStatus
      InPlacePodVerticalScalingExclusiveCPUs InPlacePodVerticalScalingExclusiveMemory
      InTreePluginPortworxUnregister InTreePluginRBDUnregister InformerResourceVersion JobBackoffLimitPerIndex
      JobManagedBy JobPodFailurePolicy JobPodReplacementPolicy JobSuccessPolicy KMSv1 KMSv2 KMSv2KDF
      KubeProxyDrainingTerminatingNodes KubeletCgroupDriverFromCRI KubeletCrashLoopBackOffMax
      KubeletEnsureSecretPulledImages KubeletFineGrainedAuthz KubeletInUserNamespace KubeletPSI
      KubeletPodResourcesDynamicResources KubeletPodResourcesGet KubeletPodResourcesListUseActivePods
      KubeletRegistrationGetOnExistsOnly KubeletSeparateDiskGC KubeletServiceAccountTokenForCredentialProviders
      KubeletTracing LegacyServiceAccountTokenCleanUp LegacySidecarContainers ListFromCacheSnapshot
      LocalStorageCapacityIsolationFSQuotaMonitoring LogarithmicScaleDown LoggingAlphaOptions LoggingBetaOptions
      MatchLabelKeysInPodAffinity MatchLabelKeysInPodTopologySpread MatchLabelKeysInPodTopologySpreadSelectorMerge
      MaxUnavailableStatefulSet MemoryManager MemoryQoS MinDomainsInPodTopologySpread MultiCIDRServiceAllocator
      MutableCSINodeAllocatableCount MutablePVNodeAffinity MutablePodResourcesForSuspendedJobs
      MutableSchedulingDirectivesForSuspendedJobs MutatingAdmissionPolicy NFTablesNetlink
      NewVolumeManagerReconstruction NodeDeclaredFeatures NodeInclusionPolicyInPodTopologySpread NodeLogQuery
      NodeOutOfServiceVolumeDetach NodeSwap NominatedNodeNameForExpectation OpenAPIEnums OpportunisticBatching
      OrderedNamespaceDeletion PDBUnhealthyPodEvictionPolicy PersistentVolumeLastPhaseTransitionTime
      PodAndContainerStatsFromCRI PodCertificateRequest PodDeletionCost PodDisruptionConditions PodHostIPs
      PodIndexLabel PodLevelResources PodLifecycleSleepAction PodLifecycleSleepActionAllowZero
      PodLogsQuerySplitStreams PodObservedGenerationTracking PodReadyToStartContainersCondition
      PodSchedulingReadiness PodTopologyLabelsAdmission PortForwardWebsockets PreventStaticPodAPIReferences
      ProcMountType QOSReserved RecoverVolumeExpansionFailure RecursiveReadOnlyMounts
      ReduceDefaultCrashLoopBackOffDecay RelaxedDNSSearchValidation RelaxedEnvironmentVariableValidation
      RelaxedServiceNameValidation ReloadKubeletServerCertificateFile RemainingItemCount RemoteRequestHeaderUID
      ResilientWatchCacheInitialization ResourceHealthStatus RestartAllContainersOnContainerExits
      RetryGenerateName RotateKubeletServerCertificate RuntimeClassInImageCriApi SELinuxChangePolicy SELinuxMount
      SELinuxMountReadWriteOncePod SchedulerAsyncAPICalls SchedulerAsyncPreemption SchedulerPopFromBackoffQ
      SchedulerQueueingHints SeparateCacheWatchRPC SeparateTaintEvictionController ServerSideApply
      ServerSideFieldValidation ServiceAccountNodeAudienceRestriction ServiceAccountTokenJTI
      ServiceAccountTokenNodeBinding ServiceAccountTokenNodeBindingValidation ServiceAccountTokenPodNodeInfo
      ServiceNodePortStaticSubrange SidecarContainers SizeBasedListCostEstimate SizeMemoryBackedVolumes
      StableLoadBalancerNodeSet StatefulSetAutoDeletePVC StatefulSetSemanticRevisionComparison
      StatefulSetStartOrdinal StorageCapacityScoring StorageNamespaceIndex StorageVersionAPI StorageVersionHash
      StorageVersionMigrator StreamingCollectionEncodingToJSON StreamingCollectionEncodingToProtobuf
      StrictCostEnforcementForVAP StrictCostEnforcementForWebhooks StrictIPCIDRValidation
      StructuredAuthenticationConfiguration StructuredAuthenticationConfigurationEgressSelector
      StructuredAuthenticationConfigurationJWKSMetrics StructuredAuthorizationConfiguration
      SupplementalGroupsPolicy SystemdWatchdog TaintTolerationComparisonOperators
      TokenRequestServiceAccountUIDValidation TopologyManagerPolicyAlphaOptions TopologyManagerPolicyBetaOptions
      TopologyManagerPolicyOptions TranslateStreamCloseWebsocketRequests UnauthenticatedHTTP2DOSMitigation
      UnknownVersionInteroperabilityProxy UserNamespacesHostNetworkSupport UserNamespacesPodSecurityStandards
      UserNamespacesSupport ValidatingAdmissionPolicy VolumeAttributesClass VolumeCapacityPriority
      VolumeLimitScaling WatchCacheInitializationPostStartHook WatchFromStorageWithoutResourceVersion WatchList
      WatchListClient WinDSR WinOverlay WindowsCPUAndMemoryAffinity WindowsGracefulNodeShutdown WindowsHostNetwork
      ZeroLimitedNominalConcurrencyShares
    `),
  },
  {
    since: '1.33',
    names: namesIn(`
      InOrderInformers
    `),
  },
  {
    since: '1.36',
    names: namesIn(`
      AtomicFIFO CRIListStreaming ClientsAllowCARotation ClientsAllowTLSCacheGC
      ControllerManagerReleaseLeaderElectionLockOnExit DRAListTypeAttributes DRANodeAllocatableResources
      DRAResourceClaimGranularStatusAuthorization DRAResourcePoolStatus DRAWorkloadResourceClaims
      DeclarativeValidationBeta ExtendWebSocketsToKubelet InOrderInformersBatchProcess
      InPlacePodVerticalScalingInitContainers ManifestBasedAdmissionControlConfig NativeHistograms
      PLEGOnDemandRelist PersistentVolumeClaimUnusedSinceTime PodLevelResourceManagers PodsAPI
      ReloadKubeletClientCAFile ResourceHealthStatusMessage ShardedListAndWatch
      StaleControllerConsistencyDaemonSet StaleControllerConsistencyJob StaleControllerConsistencyReplicaSet
      StaleControllerConsistencyStatefulSet TopologyAwareWorkloadScheduling UnlockWhileProcessingFIFO
      WorkloadAwarePreemption WorkloadWithJob
    `),
  },
  {
    since: '1.37',
    names: namesIn(`
      APIServerWebhookAuthenticationToken AtomicWriteVolumeUserFields CompositePodGroup DRADerivedAttributes
      DRADeviceCompatibilityGroups DRAOptionalNodeOperations DRAPartitionableDevicesType DefaultPodSysctls
      EmptyDirVolumeMode EtcdRangeStream ExcludeAdmissionWebhookVirtualResources GRPCContainerProbeTLS
      H2CContainerProbe HugepageAwareEviction InPlacePodVerticalScalingMemoryBackedVolumes
      InPlacePodVerticalScalingSchedulerPreemption NodeLifecycleConditions PodGroupPreemptionPolicy
      StatefulSetRecreateStrategy VolumeBindMountOptions
    `),
  },
]

/**
 * The gates that are locked, by the first version that the sources show: `pkg/features/kube_features.go` of Kubernetes
 * 1.31 to 1.35.
 */
const LOCKS: readonly GateLock[] = [
  {
    since: '1.30',
    enabled: true,
    names: namesIn(`
      LegacyServiceAccountTokenCleanUp MinDomainsInPodTopologySpread NewVolumeManagerReconstruction
      PodSchedulingReadiness StableLoadBalancerNodeSet
    `),
  },
  {
    since: '1.31',
    enabled: true,
    names: namesIn(`
      APIListChunking AdmissionWebhookMatchConditions AggregatedDiscoveryEndpoint AppArmor AppArmorFields CPUManager
      CloudDualStackNodeIPs DevicePluginCDIDevices DisableCloudProviders DisableKubeletCloudCredentialProviders
      EfficientWatchResumption ElasticIndexedJob HPAContainerMetrics JobPodFailurePolicy KMSv2 KMSv2KDF
      KubeProxyDrainingTerminatingNodes LogarithmicScaleDown NodeOutOfServiceVolumeDetach
      PDBUnhealthyPodEvictionPolicy PersistentVolumeLastPhaseTransitionTime PodDisruptionConditions PodHostIPs
      RemainingItemCount ServerSideApply ServerSideFieldValidation StatefulSetStartOrdinal ValidatingAdmissionPolicy
      ZeroLimitedNominalConcurrencyShares
    `),
  },
  {
    since: '1.32',
    enabled: true,
    names: namesIn(`
      CustomResourceFieldSelectors MemoryManager PodIndexLabel RetryGenerateName ServiceAccountTokenJTI
      ServiceAccountTokenNodeBindingValidation ServiceAccountTokenPodNodeInfo SizeMemoryBackedVolumes
      StatefulSetAutoDeletePVC StructuredAuthorizationConfiguration
    `),
  },
  {
    since: '1.33',
    enabled: true,
    names: namesIn(`
      AnyVolumeDataSource BtreeWatchCache CPUManagerPolicyOptions CRDValidationRatcheting CSIMigrationPortworx
      HonorPVReclaimPolicy JobBackoffLimitPerIndex JobSuccessPolicy MatchLabelKeysInPodAffinity
      NodeInclusionPolicyInPodTopologySpread RecursiveReadOnlyMounts ServiceAccountTokenNodeBinding SidecarContainers
    `),
  },
  {
    since: '1.33',
    enabled: false,
    names: namesIn(`
      WatchFromStorageWithoutResourceVersion
    `),
  },
  {
    since: '1.34',
    enabled: true,
    names: namesIn(`
      APIServerTracing AnonymousAuthConfigurableEndpoints AuthorizeNodeWithSelectors AuthorizeWithSelectors
      ConsistentListFromCache JobPodReplacementPolicy KubeletCgroupDriverFromCRI KubeletTracing
      MultiCIDRServiceAllocator NodeSwap OrderedNamespaceDeletion PodLifecycleSleepAction
      PodLifecycleSleepActionAllowZero RecoverVolumeExpansionFailure RelaxedDNSSearchValidation
      RelaxedEnvironmentVariableValidation ResilientWatchCacheInitialization SchedulerQueueingHints
      SeparateTaintEvictionController StreamingCollectionEncodingToJSON StreamingCollectionEncodingToProtobuf
      StructuredAuthenticationConfiguration WinDSR WinOverlay
    `),
  },
  {
    since: '1.35',
    enabled: true,
    names: namesIn(`
      AggregatedDiscoveryRemoveBetaType DisableAllocatorDualWrite DynamicResourceAllocation ExecProbeTimeout
      ImageMaximumGCAge InPlacePodVerticalScaling JobManagedBy PodObservedGenerationTracking SupplementalGroupsPolicy
      SystemdWatchdog
    `),
  },
  {
    since: '1.35',
    enabled: false,
    names: namesIn(`
      AllowOverwriteTerminationGracePeriodSeconds
    `),
  },
  {
    since: '1.36',
    enabled: true,
    names: namesIn(`
      VolumeAttributesClass
    `),
  },
]

const REMOVED_SINCE = '1.35'

/** The gates that `pkg/features/kube_features.go` of Kubernetes 1.35 no longer contains. */
const REMOVED_GATES: ReadonlySet<string> = namesIn(`
  AllowServiceLBStatusOnNonLB AppArmor AppArmorFields CPUManager CloudDualStackNodeIPs CronJobsScheduledAnnotation
  DRAControlPlaneController DevicePluginCDIDevices DisableCloudProviders DisableKubeletCloudCredentialProviders
  ElasticIndexedJob HPAContainerMetrics JobPodFailurePolicy KubeProxyDrainingTerminatingNodes
  LegacyServiceAccountTokenCleanUp MinDomainsInPodTopologySpread NewVolumeManagerReconstruction
  NodeOutOfServiceVolumeDetach PDBUnhealthyPodEvictionPolicy PersistentVolumeLastPhaseTransitionTime
  PodDisruptionConditions PodHostIPs PodIndexLabel SizeMemoryBackedVolumes StableLoadBalancerNodeSet
  StatefulSetAutoDeletePVC StatefulSetStartOrdinal UserNamespacesPodSecurityStandards VolumeCapacityPriority
`)

function namesIn(text: string): ReadonlySet<string> {
  return new Set(text.trim().split(/\s+/))
}
