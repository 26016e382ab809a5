{{/* The container of a Deployment. Several operators are one process, with the flags of all of them; where two differ, those of the first count. */}}
{{- define "etcd-operator.container" -}}
{{- $values := .root.Values }}
{{- $operator := index $values .key }}
{{- $flags := deepCopy (default dict $operator.commandArgs) }}
{{- range $key := .members }}{{ $flags = merge $flags (default dict (index $values $key).commandArgs) }}{{ end }}
- name: {{ $operator.name }}
  image: {{ include "etcd-operator.image" . }}
  imagePullPolicy: {{ $operator.image.pullPolicy }}
  command:
  {{- if gt (len .members) 1 }}
  {{- $names := list }}
  {{- range $key := .members }}{{ $names = append $names (include "etcd-operator.controller" (dict "key" $key)) }}{{ end }}
  - etcd-operator
  - -controllers={{ join "," $names }}
  {{- else }}
  - {{ include "etcd-operator.program" . }}
  {{- end }}
  - -listen-addr=0.0.0.0:8080
  {{- if $values.secureMetrics.enabled }}
  - -secure-metrics-addr=0.0.0.0:8443
  - -secure-metrics-certificate=/var/metrics-certificate
  {{- end }}
  - -create-crd={{ $values.createCRD }}
  {{- if has "restoreOperator" .members }}
  - -scratch-directory=/var/restore
  {{- end }}
  {{- if $values.clusterWide }}
  - -cluster-wide
  {{- else if $values.watchNamespaces }}
  - -namespaces={{ join "," $values.watchNamespaces }}
  {{- end }}
  {{- range $flag, $value := $flags }}
  - {{ printf "-%s=%s" $flag (kindIs "string" $value | ternary $value (toJson $value)) | quote }}
  {{- end }}
  {{- $arguments := list }}
  {{- $variables := list }}
  {{- range $key := .members }}
  {{- $arguments = concat $arguments (default list (index $values $key).extraArgs) | uniq }}
  {{- $variables = concat $variables (default list (index $values $key).extraEnv) | uniq }}
  {{- end }}
  {{- range $arguments }}
  - {{ . | quote }}
  {{- end }}
  env:
  - name: MY_POD_NAMESPACE
    valueFrom:
      fieldRef:
        fieldPath: metadata.namespace
  - name: MY_POD_NAME
    valueFrom:
      fieldRef:
        fieldPath: metadata.name
  {{- with $variables }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
  ports:
  - name: http
    containerPort: 8080
  {{- if $values.secureMetrics.enabled }}
  - name: metrics
    containerPort: 8443
  {{- end }}
  {{- range $kind, $path := dict "livenessProbe" "/healthz" "readinessProbe" "/readyz" }}
  {{- with index $operator $kind }}
  {{- if .enabled }}
  {{ $kind }}:
    httpGet:
      path: {{ $path }}
      port: http
    initialDelaySeconds: {{ .initialDelaySeconds }}
    periodSeconds: {{ .periodSeconds }}
    failureThreshold: {{ .failureThreshold }}
  {{- end }}
  {{- end }}
  {{- end }}
  resources:
    requests:
      cpu: {{ $operator.resources.cpu }}
      memory: {{ $operator.resources.memory }}
    {{- with $operator.resources.limits }}
    limits: {{- toYaml . | nindent 6 }}
    {{- end }}
  securityContext:
    allowPrivilegeEscalation: false
    readOnlyRootFilesystem: true
    capabilities:
      drop: [ALL]
  {{- if or (has "restoreOperator" .members) $operator.extraVolumeMounts $values.secureMetrics.enabled }}
  volumeMounts:
  {{- if $values.secureMetrics.enabled }}
  - name: metrics-certificate
    mountPath: /var/metrics-certificate
    readOnly: true
  {{- end }}
  {{- if has "restoreOperator" .members }}
  - name: scratch
    mountPath: /var/restore
  {{- end }}
  {{- with $operator.extraVolumeMounts }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
  {{- end }}
{{- end }}
