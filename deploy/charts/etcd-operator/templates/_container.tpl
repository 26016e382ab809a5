{{/* The container of a Deployment. Several operators are one process, with the flags of all of them; where two differ, those of the first count. */}}
{{- define "etcd-operator.container" -}}
{{- $values := .root.Values }}
{{- $operator := index $values .key }}
{{- $flags := deepCopy (default dict $operator.commandArgs) }}
{{- range $key := .members }}{{ $flags = merge $flags (default dict (index $values $key).commandArgs) }}{{ end }}
- name: {{ $operator.name }}
  {{- with $operator.image }}
  image: {{ .repository }}{{ if .digest }}@{{ .digest }}{{ else }}:{{ default (printf "v%s" $.root.Chart.AppVersion) .tag }}{{ end }}
  {{- end }}
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
  - -create-crd={{ $values.createCRD }}
  {{- if has "restoreOperator" .members }}
  - -scratch-directory=/var/restore
  {{- end }}
  {{- if $values.clusterWide }}
  - -cluster-wide
  {{- end }}
  {{- range $flag, $value := $flags }}
  - {{ printf "-%s=%s" $flag (kindIs "string" $value | ternary $value (toJson $value)) | quote }}
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
  ports:
  - name: http
    containerPort: 8080
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
  {{- if or (has "restoreOperator" .members) $operator.extraVolumeMounts }}
  volumeMounts:
  {{- if has "restoreOperator" .members }}
  - name: scratch
    mountPath: /var/restore
  {{- end }}
  {{- with $operator.extraVolumeMounts }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
  {{- end }}
{{- end }}
